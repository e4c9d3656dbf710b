/** Delivery on the trade and position streams: no cursor, so each gap is told, and repeats are known by their content. */
import { isDelivered } from '../items/frame-class.ts'
import { type TradeDecoders, TradeItems, type TradeStreamEvent, tradeFrames } from '../items/trade-items.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import type { CameBack, Delivery, Outlet } from './delivery.ts'
import { FrameMemory } from './frame-memory.ts'
import { RepeatWindow } from './repeat-window.ts'
import { SpelledName } from './spelled-name.ts'

const MIB = 1024 * 1024
const MAX_MESSAGES = 4096

export class TradeDelivery implements Delivery<TradeStreamEvent> {
  readonly classOf = tradeFrames.classOf
  readonly serverMs = tradeFrames.serverMs
  readonly connectionId = tradeFrames.connectionId
  readonly decoder: TradeItems
  readonly #outlet: Outlet<TradeStreamEvent>
  readonly #name: SpelledName
  readonly #repeats: RepeatWindow<TradeStreamEvent>

  constructor(outlet: Outlet<TradeStreamEvent>, decoders: TradeDecoders, random: () => number) {
    this.#outlet = outlet
    this.decoder = new TradeItems(decoders)
    this.#name = new SpelledName(random)
    this.#repeats = new RepeatWindow({
      maxNames: MAX_MESSAGES,
      nameBytes: MIB,
      memory: new FrameMemory({ maxFrames: MAX_MESSAGES, maxBytes: 8 * MIB, decoder: this.decoder }),
      compare(known, frame) {
        if (known.eventType !== frame.eventType) return 'new'
        return known.payload === frame.payload ? 'repeat' : 'conflict'
      },
      nameIsEnough: false,
    })
  }

  take(batch: MessageBatch<TradeStreamEvent>, from: number, to: number, atMs: number): void {
    this.#outlet.catchUp()
    const name = this.#name
    for (let index = from; index < to; index += 1) {
      const item = batch.messages[index] as TradeStreamEvent & { receivedAtMs: number }
      const { eventType, contentType, requestId, timestamp, payload } = item
      if (!isDelivered(tradeFrames.classOf(item))) continue
      const id = this.#outlet.bounded('requestId', requestId, atMs)
      if (id === requestId) name.spellOf(batch, index)
      else name.spellText(id)
      if (!this.#outlet.isNew(this.#repeats.judge(name, item), eventType, id, atMs)) continue
      if (index < to - 1) this.#repeats.remember(name, batch, index)
      else this.#outlet.rememberLater(this.#repeats, name, batch, index)
      item.receivedAtMs = atMs
      const units = contentType.length + requestId.length + timestamp.length + payload.length
      this.#outlet.event(item, units, batch.besidesOf(index))
    }
  }

  cameBack({ fromMs, toMs }: CameBack): void {
    const bounds = { type: 'notice', atMs: toMs, fromMs, toMs } as const
    this.#outlet.notify({ ...bounds, kind: 'gap', eventTypes: undefined, cause: 'disconnected' })
  }
}

/** Delivery on the trade and position streams: no cursor, so each gap is told, and repeats are known by their content. */
import { isDelivered } from '../items/frame-class.ts'
import { type TradeDecoders, TradeItems, type TradeStreamEvent, tradeFrames } from '../items/trade-items.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { Deduplicator } from './deduplicate.ts'
import type { CameBack, Delivery, Outlet } from './delivery.ts'
import { FrameMemory } from './frame-memory.ts'
import { RepeatWindow } from './repeat-window.ts'

const MIB = 1024 * 1024
const MAX_MESSAGES = 4096

export class TradeDelivery implements Delivery<TradeStreamEvent> {
  readonly classOf = tradeFrames.classOf
  readonly serverMs = tradeFrames.serverMs
  readonly connectionId = tradeFrames.connectionId
  readonly decoder: TradeItems
  readonly #outlet: Outlet<TradeStreamEvent>
  readonly #deduplicator: Deduplicator<TradeStreamEvent>
  readonly #repeats: RepeatWindow<TradeStreamEvent>

  constructor(outlet: Outlet<TradeStreamEvent>, decoders: TradeDecoders, random: () => number) {
    this.#outlet = outlet
    this.decoder = new TradeItems(decoders)
    this.#deduplicator = new Deduplicator(random)
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
    for (let index = from; index < to; index += 1) {
      const item = batch.messages[index] as TradeStreamEvent & { receivedAtMs: number }
      const { eventType, contentType, requestId, timestamp, payload } = item
      if (!isDelivered(tradeFrames.classOf(item))) continue
      const id = this.#outlet.bounded('requestId', requestId, atMs)
      const verdict = this.#deduplicator.check(this.#repeats, batch, index, id === requestId ? undefined : id)
      if (!this.#outlet.isNew(verdict, eventType, id, atMs)) continue
      item.receivedAtMs = atMs
      const units = contentType.length + requestId.length + timestamp.length + payload.length
      this.#outlet.event(item, units, batch.besidesOf(index))
    }
  }

  flush(): void {
    this.#deduplicator.flush()
  }

  cameBack({ fromMs, toMs }: CameBack): void {
    const bounds = { type: 'notice', atMs: toMs, fromMs, toMs } as const
    this.#outlet.notify({ ...bounds, kind: 'gap', eventTypes: undefined, cause: 'disconnected' })
  }
}

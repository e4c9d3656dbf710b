/** Delivery on the trade and position streams: no cursor, so each gap is told, and repeats are known by their content. */
import { isDelivered } from '../items/frame-class.ts'
import { type ReceivedTradeFrame, TradeFrameDecoder, tradeFrames } from '../items/trade-frames.ts'
import { createTradeItem, type TradeDecoders, type TradeStreamEvent } from '../items/trade-items.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { Deduplicator } from './deduplicate.ts'
import type { CameBack, Delivery, Outlet } from './delivery.ts'
import { FrameMemory } from './frame-memory.ts'
import { RepeatWindow } from './repeat-window.ts'

const MIB = 1024 * 1024
const MAX_MESSAGES = 4096

export class TradeDelivery implements Delivery<ReceivedTradeFrame, TradeStreamEvent> {
  readonly frames = tradeFrames
  readonly decoder = new TradeFrameDecoder()
  readonly #decoders: TradeDecoders
  readonly #outlet: Outlet<TradeStreamEvent>
  readonly #deduplicator: Deduplicator<ReceivedTradeFrame>
  readonly #repeats: RepeatWindow<ReceivedTradeFrame>

  constructor(outlet: Outlet<TradeStreamEvent>, decoders: TradeDecoders, random: () => number) {
    this.#outlet = outlet
    this.#decoders = decoders
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

  take(batch: MessageBatch<ReceivedTradeFrame>, from: number, to: number, atMs: number): void {
    for (let index = from; index < to; index += 1) {
      const frame = batch.messages[index] as ReceivedTradeFrame
      const { eventType, contentType, requestId, timestamp, payload } = frame
      if (!isDelivered(tradeFrames.classOf(frame))) continue
      const id = this.#outlet.bounded('requestId', requestId, atMs)
      const verdict = this.#deduplicator.check(this.#repeats, batch, index, id === requestId ? undefined : id)
      if (!this.#outlet.isNew(verdict, eventType, id, atMs)) continue
      const units = contentType.length + requestId.length + timestamp.length + payload.length
      const item = createTradeItem(frame, atMs, this.#decoders)
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

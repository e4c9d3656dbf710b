/** The stages of trade and position streams. They have no cursor, so each gap is reported; duplicates are found by content. */
import { isDelivered } from '../items/frame-class.ts'
import { type ReceivedTradeFrame, type TradeFrameDecoder, tradeFrames } from '../items/trade-frames.ts'
import { createTradeItem, type TradeDecoders, type TradeStreamEvent } from '../items/trade-items.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { Deduplicator } from './deduplicate.ts'
import { DuplicateFilter } from './duplicate-filter.ts'
import type { FrameHandler, Reconnected } from './frame-handler.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'
import type { IdLimit } from './id-limit.ts'
import type { ItemOutput } from './item-output.ts'

const MIB = 1024 * 1024
const MAX_MESSAGES = 4096

export interface TradePipelineOptions {
  readonly output: ItemOutput<TradeStreamEvent>
  readonly ids: IdLimit
  readonly decoder: TradeFrameDecoder
  readonly decoders: TradeDecoders
  readonly random: () => number
}

export class TradePipeline implements FrameHandler<ReceivedTradeFrame> {
  readonly frames = tradeFrames
  readonly #decoders: TradeDecoders
  readonly #output: ItemOutput<TradeStreamEvent>
  readonly #ids: IdLimit
  readonly #deduplicator: Deduplicator<ReceivedTradeFrame>
  readonly #filter: DuplicateFilter<ReceivedTradeFrame>

  constructor({ output, ids, decoder, decoders, random }: TradePipelineOptions) {
    this.#output = output
    this.#ids = ids
    this.#decoders = decoders
    this.#deduplicator = new Deduplicator(random)
    this.#filter = new DuplicateFilter({
      maxIds: MAX_MESSAGES,
      idBytes: MIB,
      frames: new FrameRingBuffer({ maxFrames: MAX_MESSAGES, maxBytes: 8 * MIB, decoder }),
      compare(known, frame) {
        if (known.eventType !== frame.eventType) return 'new'
        return known.payload === frame.payload ? 'duplicate' : 'conflict'
      },
      idOnly: false,
    })
  }

  take(batch: MessageBatch<ReceivedTradeFrame>, from: number, to: number, atMs: number): void {
    const output = this.#output
    for (let index = from; index < to; index += 1) {
      const frame = batch.messages[index] as ReceivedTradeFrame
      const { eventType, contentType, requestId, timestamp, payload } = frame
      if (!isDelivered(tradeFrames.classOf(frame))) continue
      const id = this.#ids.apply('requestId', requestId, atMs)
      const result = this.#deduplicator.check(this.#filter, batch, index, id === requestId ? undefined : id)
      if (result === 'duplicate') {
        output.statistics.duplicate()
        continue
      }
      if (result === 'conflict')
        output.notify({ type: 'notice', kind: 'conflicting-repeat', atMs, eventType, id })
      const units = contentType.length + requestId.length + timestamp.length + payload.length
      output.event(createTradeItem(frame, atMs, this.#decoders), units, batch.besidesOf(index))
    }
  }

  flush(): void {
    this.#deduplicator.flush()
  }

  onReconnected({ fromMs, toMs }: Reconnected): void {
    const bounds = { type: 'notice', atMs: toMs, fromMs, toMs } as const
    this.#output.notify({ ...bounds, kind: 'gap', eventTypes: undefined, cause: 'disconnected' })
  }
}

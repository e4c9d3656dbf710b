/**
 * The pipeline of trade, position and account streams. They have no cursor, so every gap is reported. A duplicate has the event
 * type, request id and payload of an earlier event.
 */
import { notify } from '@brokerwire/core/internal'
import type { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import { StoredEvents } from '../completeness/event-identity.ts'
import { isDelivered } from '../items/frame-class.ts'
import { PARSED_UNIT_BYTES } from '../items/item-bytes.ts'
import type { NoticeBounds, StreamNotice } from '../items/notices.ts'
import { type ReceivedTradeFrame, type TradeFrameDecoder, tradeFrames } from '../items/trade-frames.ts'
import { createTradeItem, type TradeDecoders, type TradeStreamEvent } from '../items/trade-items.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { Deduplicator } from './deduplicator.ts'
import { DuplicateFilter } from './duplicate-filter.ts'
import type { FrameHandler, LiveEffect } from './frame-handler.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'
import type { IdLimit } from './id-limit.ts'
import type { ItemOutput } from './item-output.ts'

const MIB = 1024 * 1024
const MAX_MESSAGES = 4096

type Gap = Extract<StreamNotice, { readonly kind: 'gap' }>

/** The parts of a stream that {@link TradePipeline} needs. */
export interface TradePipelineOptions {
  readonly output: ItemOutput<TradeStreamEvent>
  readonly ids: IdLimit
  readonly decoder: TradeFrameDecoder
  readonly decoders: TradeDecoders
  readonly completeness: CompletenessTracker
  readonly random: () => number
  /** Called with each queued event. It decodes the event, so the parsed payload counts as memory of the item. */
  readonly onEvent: ((event: TradeStreamEvent) => void) | undefined
}

/** Makes items from the frames of one trade, position or account stream. */
export class TradePipeline implements FrameHandler<ReceivedTradeFrame> {
  readonly frameReader = tradeFrames
  readonly #decoders: TradeDecoders
  readonly #output: ItemOutput<TradeStreamEvent>
  readonly #ids: IdLimit
  readonly #deduplicator: Deduplicator<ReceivedTradeFrame>
  readonly #filter: DuplicateFilter<ReceivedTradeFrame>
  readonly #completeness: CompletenessTracker
  readonly #onEvent: TradePipelineOptions['onEvent']
  /** The events that were handled before a restart. */
  readonly #stored = new StoredEvents(MAX_MESSAGES)
  #gapCause: Gap['cause'] = 'before-subscription'
  #lastGap: NoticeBounds | undefined

  constructor({ output, ids, decoder, decoders, completeness, random, onEvent }: TradePipelineOptions) {
    this.#completeness = completeness
    this.#onEvent = onEvent
    if (onEvent !== undefined) output.queue.bytesPerWireByte += PARSED_UNIT_BYTES
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

  /** Sets the identities of the events that were handled before this stream started, and the cause of the first gap. */
  begin(identities: readonly string[], cause: Gap['cause']): void {
    this.#stored.add(identities)
    this.#gapCause = cause
  }

  take(batch: MessageBatch<ReceivedTradeFrame>, from: number, to: number, atMs: number): void {
    const output = this.#output
    for (let index = from; index < to; index += 1) {
      const frame = batch.messages[index] as ReceivedTradeFrame
      const { eventType, contentType, requestId, timestamp, payload } = frame
      if (!isDelivered(tradeFrames.classify(frame))) continue
      const id = this.#ids.apply('requestId', requestId, atMs)
      const result = this.#deduplicator.check(this.#filter, batch, index, id === requestId ? undefined : id)
      if (result === 'duplicate' || this.#stored.has(frame)) {
        output.statistics.duplicate()
        continue
      }
      if (result === 'conflict')
        output.notify({ type: 'notice', kind: 'duplicate-conflict', atMs, eventType, id })
      const units = contentType.length + requestId.length + timestamp.length + payload.length
      const item = createTradeItem(frame, atMs, this.#decoders)
      const onEvent = this.#onEvent
      const parsedBytes = onEvent === undefined ? 0 : PARSED_UNIT_BYTES * payload.length
      output.event(item, units, batch.extraBytesOf(index) + parsedBytes)
      if (onEvent !== undefined) notify(() => onEvent(item))
    }
  }

  /** The bounds of the last gap. */
  get lastGap(): NoticeBounds | undefined {
    return this.#lastGap
  }

  flush(): void {
    this.#deduplicator.flush()
  }

  onLive(live: LiveEffect): void {
    const bounds = this.#completeness.onLive(live)()
    this.#lastGap = bounds
    const notice = { type: 'notice', kind: 'gap', atMs: live.hostMs, ...bounds } as const
    this.#output.notify({ ...notice, eventTypes: undefined, cause: this.#gapCause })
    this.#gapCause = 'disconnected'
  }
}

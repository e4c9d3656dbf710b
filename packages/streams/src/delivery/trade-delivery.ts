/** Delivery on the trade and position streams: no cursor, so each gap is told, and repeats are known by their content. */
import type { TradeSubscribeResponse } from '@brokerwire/protos'
import { itemBytes, NO_FIELDS } from '../items/item-bytes.ts'
import { type TradeDecoders, TradeItems, type TradeStreamEvent, tradeFrames } from '../items/trade-items.ts'
import type { SupervisorEffect } from '../supervisor/machine-types.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { type Delivery, isDelivered, type Outlet } from './delivery.ts'
import { FrameMemory } from './frame-memory.ts'
import { RepeatWindow } from './repeat-window.ts'
import { SpelledNames } from './spelled-names.ts'

const MIB = 1024 * 1024
const MAX_MESSAGES = 4096

export class TradeDelivery implements Delivery<TradeSubscribeResponse> {
  readonly frames = tradeFrames
  readonly #outlet: Outlet<TradeStreamEvent>
  readonly #items: TradeItems
  readonly #names: SpelledNames
  readonly #repeats: RepeatWindow<TradeSubscribeResponse>

  /** @param seed - Of the names' hashes. */
  constructor(outlet: Outlet<TradeStreamEvent>, decoders: TradeDecoders, seed: number) {
    this.#outlet = outlet
    this.#items = new TradeItems(decoders)
    this.#names = new SpelledNames(seed)
    this.#repeats = new RepeatWindow({
      maxNames: MAX_MESSAGES,
      nameBytes: MIB,
      memory: new FrameMemory({ maxFrames: MAX_MESSAGES, maxBytes: 8 * MIB, weigh }),
      compare(known, frame) {
        if (known.eventType !== frame.eventType) return 'new'
        return known.payload === frame.payload ? 'repeat' : 'conflict'
      },
      nameIsEnough: false,
    })
  }

  take(batch: MessageBatch<TradeSubscribeResponse>, from: number, to: number, atMs: number): void {
    const names = this.#names
    names.clear()
    for (let index = from; index < to; index += 1) {
      names.add(this.#outlet.nameOf((batch.messages[index] as TradeSubscribeResponse).requestId))
    }
    for (let index = from; index < to; index += 1) {
      const frame = batch.messages[index] as TradeSubscribeResponse
      if (!isDelivered(tradeFrames.classOf(frame))) continue
      const id = this.#outlet.bounded('requestId', frame.requestId, atMs)
      const verdict = this.#repeats.judge(names, index - from, batch, index)
      if (verdict === 'repeat') {
        this.#outlet.repeat()
        continue
      }
      if (verdict === 'conflict') {
        const eventType: number = frame.eventType
        this.#outlet.notify({ type: 'notice', kind: 'conflicting-repeat', atMs, eventType, id })
      }
      const item = this.#items.make(frame, atMs)
      const { contentType, requestId, timestamp, payload } = item
      this.#outlet.event(item, contentType.length + requestId.length + timestamp.length + payload.length)
    }
  }

  cameBack({ fromMs, toMs }: Extract<SupervisorEffect, { readonly type: 'came-back' }>): void {
    const bounds = { type: 'notice', atMs: toMs, fromMs, toMs } as const
    this.#outlet.notify({ ...bounds, kind: 'gap', eventTypes: undefined, cause: 'disconnected' })
  }
}

function weigh({ contentType, requestId, payload, $unknown }: TradeSubscribeResponse): number {
  return itemBytes(contentType.length + requestId.length + payload.length, $unknown ?? NO_FIELDS)
}

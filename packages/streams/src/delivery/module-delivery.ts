/**
 * Delivery on the module stream: at least once, given that the service replays after a position.
 *
 * Two cursors for each event type: the last position received, which a reconnect sends, and the last one committed,
 * which a restart reads. An event that is filtered out counts as handled, so the cursor passes it, but never a gap before
 * it that was not told. Event types that nobody asked for are delivered and share one memory: they have no cursor, and
 * there may be any number of them.
 */
import type { DecodeResult } from '@brokerwire/payloads'
import { isDelivered } from '../items/frame-class.ts'
import { PARSED_UNIT_BYTES } from '../items/item-bytes.ts'
import { ModuleFrameDecoder, moduleFrames, type ReceivedModuleFrame } from '../items/module-frames.ts'
import {
  type AckReceiver,
  type ModuleDecoder,
  type ModuleItem,
  ReceivedModuleItem,
} from '../items/module-items.ts'
import type { StreamNotice } from '../items/notices.ts'
import type { ModuleSelection } from '../module-selection.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { AckLine, type LineTally } from './ack-line.ts'
import type { Cursors } from './cursors.ts'
import { Deduplicator } from './deduplicate.ts'
import type { CameBack, Delivery, Outlet } from './delivery.ts'
import { FrameMemory } from './frame-memory.ts'
import { RepeatWindow } from './repeat-window.ts'

export interface ModuleDeliveryOptions<Event> {
  readonly selection: ModuleSelection
  readonly decode: ModuleDecoder<Event>
  readonly ack: 'auto' | 'manual'
  readonly maxUnacked: number
  readonly random: () => number
  readonly cursors: Cursors
}

const MIB = 1024 * 1024
const MAX_IDS = 20_000
const ID_BYTES = 2 * MIB
const MAX_FRAMES = 4096
const FRAME_BYTES = 8 * MIB
/** Ids and positions of events that wait for their ack, of all event types. */
const UNACKED_BYTES = 8 * MIB

interface Remembering {
  /** Made with the first name: it is megabytes. */
  repeats: RepeatWindow<ReceivedModuleFrame> | undefined
}

/** An event type that was asked for. */
interface TypeState extends Remembering, AckReceiver {
  /** Where not every event of it is wanted. */
  readonly wants: ((decoded: DecodeResult<unknown>) => boolean) | undefined
  readonly line: AckLine
  received: string | undefined
}

type Batch = MessageBatch<ReceivedModuleFrame>
type Gap = Extract<StreamNotice, { readonly kind: 'gap' }>

export class ModuleDelivery<Event> implements Delivery<ReceivedModuleFrame, ModuleItem<Event>> {
  readonly frames = moduleFrames
  readonly decoder = new ModuleFrameDecoder()
  readonly #decode: ModuleDecoder<Event>
  readonly #isAuto: boolean
  readonly #maxUnacked: number
  readonly #cursors: Cursors
  readonly #outlet: Outlet<ModuleItem<Event>>
  readonly #memory: FrameMemory<ReceivedModuleFrame>
  readonly #types: ReadonlyMap<string, TypeState>
  readonly #others: Remembering = { repeats: undefined }
  readonly #deduplicator: Deduplicator<ReceivedModuleFrame>
  /** Event types by the instant since when they may have missed something, until that is told. */
  readonly #passed = new Map<number, string[]>()
  #sent: ReadonlyMap<string, string> = new Map()
  #refused: readonly string[] = []
  /** Notices come in arrays, whose `ack()` counts for them too. */
  #isBatched = false
  /** What waits for its ack, in all lines. */
  readonly #waiting: LineTally = { size: 0, bytes: 0 }

  constructor(outlet: Outlet<ModuleItem<Event>>, options: ModuleDeliveryOptions<Event>) {
    const { selection, cursors, decode, ack, maxUnacked, random } = options
    this.#outlet = outlet
    this.#isAuto = ack === 'auto'
    this.#maxUnacked = maxUnacked
    this.#cursors = cursors
    this.#decode = decode
    this.#memory = new FrameMemory({ maxFrames: MAX_FRAMES, maxBytes: FRAME_BYTES, decoder: this.decoder })
    this.#deduplicator = new Deduplicator(random)
    this.#types = new Map(
      selection.eventTypes.map((eventType) => {
        const slot = cursors.slotOf(eventType)
        const line = new AckLine(this.#waiting, (id, position) => slot.commit(id, position))
        const wants = selection.wants(eventType)
        const ack: AckReceiver['ack'] = (number, id, position) => {
          if (line.ack(number, id, position)) this.#holdBack()
        }
        return [eventType, { wants, line, ack, repeats: undefined, received: undefined }]
      }),
    )
    if ([...this.#types.values()].some(({ wants }) => wants !== undefined))
      outlet.queue.byteBytes += PARSED_UNIT_BYTES
    this.#holdBack()
  }

  #windowOf(place: Remembering = this.#others): RepeatWindow<ReceivedModuleFrame> {
    place.repeats ??= new RepeatWindow({
      maxNames: MAX_IDS,
      nameBytes: ID_BYTES,
      memory: this.#memory,
      compare: (known, frame) => (known.payload === frame.payload ? 'repeat' : 'conflict'),
      nameIsEnough: true,
    })
    return place.repeats
  }

  async prepare(signal: AbortSignal): Promise<void> {
    for (const [eventType, state] of this.#types) {
      signal.throwIfAborted()
      const { position, ids, sinceMs } = await this.#cursors.start(eventType, signal)
      for (const id of ids) this.#deduplicator.know(this.#windowOf(state), id)
      state.received = position
      if (position !== undefined || sinceMs === undefined) continue
      this.#passed.set(sinceMs, [...(this.#passed.get(sinceMs) ?? []), eventType])
    }
  }

  takeCursors(): ReadonlyMap<string, string> {
    const sent = new Map<string, string>()
    for (const [eventType, { received }] of this.#types)
      if (received !== undefined) sent.set(eventType, received)
    this.#sent = sent
    return sent
  }

  take(batch: Batch, from: number, to: number, atMs: number): void {
    for (let index = from; index < to; index += 1) {
      const frame = batch.messages[index] as ReceivedModuleFrame
      const kind = moduleFrames.classOf(frame)
      if (!isDelivered(kind)) continue
      if (kind === 'event') this.#takeEvent(frame, batch, index, atMs)
      else this.#deliver(new ReceivedModuleItem(frame, atMs, this.#decode), batch.besidesOf(index))
    }
  }

  #takeEvent(frame: ReceivedModuleFrame, batch: Batch, index: number, atMs: number): void {
    const { eventType } = frame
    const outlet = this.#outlet
    const type = this.#types.get(eventType)
    const id = outlet.bounded('id', frame.id, atMs)
    let name = id === frame.id ? undefined : id
    if (type === undefined) name = pair(outlet.bounded('eventType', eventType, atMs), id)
    const verdict = this.#deduplicator.check(this.#windowOf(type), batch, index, name)
    if (!outlet.isNew(verdict, eventType, id, atMs)) return
    if (type === undefined) {
      this.#deliver(new ReceivedModuleItem(frame, atMs, this.#decode), batch.besidesOf(index))
      return
    }
    const { line, wants } = type
    const position = outlet.bounded('position', frame.position, atMs)
    if (position !== '') type.received = position
    const decoded = wants && this.#decode(frame)
    if (decoded !== undefined && wants?.(decoded) === false) {
      line.skip(position)
      outlet.statistics.filtered()
      return
    }
    const number = line.receive(id, position)
    const unacked = { receiver: type, number, id, position }
    const item = new ReceivedModuleItem(frame, atMs, this.#decode, decoded, unacked)
    // What was decoded to see whether it is wanted.
    const parsed = wants === undefined ? 0 : PARSED_UNIT_BYTES * frame.payload.length
    this.#deliver(item, batch.besidesOf(index) + parsed)
    if (this.#holdBack()) {
      outlet.notify({ type: 'notice', kind: 'unacked-limit', atMs, unacked: this.#waiting.size })
    }
  }

  #deliver(item: ModuleItem<Event>, besides: number): void {
    const { id, eventType, position, timestamp, version, payload } = item
    const names = id.length + eventType.length + 2 * position.length
    this.#outlet.event(item, names + timestamp.length + version.length + payload.length, besides)
  }

  /** No more is read than may wait for `ack()`. @returns Whether that was the last room. */
  #holdBack(): boolean {
    // What was taken or waits to be taken: the queue bounds both.
    if (this.#isAuto) return false
    const { size, bytes } = this.#waiting
    return this.#outlet.queue.allow(bytes < UNACKED_BYTES ? this.#maxUnacked - size : 0)
  }

  flush(): void {
    this.#deduplicator.flush()
  }

  subscribed(atMs: number): void {
    for (const [fromMs, eventTypes] of this.#passed) this.#tellGap('no-cursor', eventTypes, fromMs, atMs)
    this.#passed.clear()
  }

  cameBack({ fromMs, toMs, cursorRejected }: CameBack): void {
    const eventTypes = [...this.#types.keys()]
    const resumed = eventTypes.filter((eventType) => this.#sent.has(eventType))
    const without = eventTypes.filter((type) => !this.#sent.has(type) && !this.#refused.includes(type))
    if (cursorRejected) this.#tellGap('cursor-rejected', this.#refused, fromMs, toMs)
    this.#refused = []
    if (fromMs !== undefined) this.#tellGap('no-cursor', without, fromMs, toMs)
    const notice = { type: 'notice', kind: 'resumed', atMs: toMs, fromMs, toMs, eventTypes: resumed } as const
    if (resumed.length > 0) this.#outlet.notify(notice)
  }

  #tellGap(cause: Gap['cause'], eventTypes: readonly string[], fromMs: Gap['fromMs'], toMs: number): void {
    if (eventTypes.length === 0) return
    const gap = { type: 'notice', kind: 'gap', atMs: toMs, fromMs, toMs, eventTypes, cause } as const
    for (const eventType of eventTypes) this.#types.get(eventType)?.line.hold(gap)
    this.#outlet.notify(gap)
  }

  cursorsRefused(): void {
    this.#refused = [...this.#sent.keys()]
    for (const state of this.#types.values()) state.received = undefined
  }

  handled(item: ModuleItem<Event> | StreamNotice): void {
    if (this.#isAuto) ReceivedModuleItem.ack(item)
    if (this.#isAuto || !this.#isBatched) this.#told(item)
  }

  ackOf(items: readonly (ModuleItem<Event> | StreamNotice)[]): () => void {
    this.#isBatched = true
    return () => {
      for (const item of items) if (item.type === 'event') item.ack()
      for (const item of items) this.#told(item)
    }
  }

  #told(item: ModuleItem<Event> | StreamNotice): void {
    if (item.type === 'event' || item.kind !== 'gap') return
    for (const eventType of item.eventTypes ?? []) {
      const line = this.#types.get(eventType)?.line
      line?.release(item)
      // What was received and waits for `ack()` has passed too, should this process die.
      if (item.cause === 'no-cursor' && line?.size === 0) this.#cursors.told(eventType, item.toMs)
    }
  }

  async finish(): Promise<void> {
    await this.#cursors.close()
  }
}

/** The name of an event of any type; where one of both is missing, none. */
function pair(eventType: string, id: string): string {
  return eventType === '' || id === '' ? '' : `${eventType}\n${id}`
}

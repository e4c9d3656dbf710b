/**
 * The stages of a module stream. At least once, given that the service replays after a position.
 *
 * Event types that were not selected are delivered and share one duplicate filter. They have no cursor, and there may be any
 * number of them.
 */
import { isDelivered } from '../items/frame-class.ts'
import { PARSED_UNIT_BYTES } from '../items/item-bytes.ts'
import { type ModuleFrameDecoder, moduleFrames, type ReceivedModuleFrame } from '../items/module-frames.ts'
import { type ModuleDecoder, type ModuleItem, ReceivedModuleItem } from '../items/module-items.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import { Deduplicator } from './deduplicate.ts'
import { DuplicateFilter } from './duplicate-filter.ts'
import type { FrameHandler, Live } from './frame-handler.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'
import type { IdLimit } from './id-limit.ts'
import type { ItemOutput } from './item-output.ts'
import type { ModuleGaps } from './module-gaps.ts'
import type { PositionTracker, TypePosition } from './position-tracker.ts'

const MIB = 1024 * 1024
const MAX_IDS = 20_000
const ID_BYTES = 2 * MIB
const MAX_FRAMES = 4096
const FRAME_BYTES = 8 * MIB

export interface ModulePipelineOptions<Event> {
  readonly output: ItemOutput<ModuleItem<Event>>
  readonly ids: IdLimit
  readonly positions: PositionTracker
  readonly gaps: ModuleGaps
  readonly decoder: ModuleFrameDecoder
  readonly decode: ModuleDecoder<Event>
  readonly random: () => number
}

type Batch = MessageBatch<ReceivedModuleFrame>

/** A selected event type. */
interface SelectedType {
  readonly position: TypePosition
  readonly filter: DuplicateFilter<ReceivedModuleFrame>
}

export class ModulePipeline<Event> implements FrameHandler<ReceivedModuleFrame> {
  readonly frameReader = moduleFrames
  readonly #options: ModulePipelineOptions<Event>
  readonly #types: ReadonlyMap<string, SelectedType>
  /** The filter of all event types that were not selected. */
  readonly #otherTypes: DuplicateFilter<ReceivedModuleFrame>
  readonly #deduplicator: Deduplicator<ReceivedModuleFrame>

  constructor(options: ModulePipelineOptions<Event>) {
    const { output, positions, decoder, random } = options
    this.#options = options
    const frames = new FrameRingBuffer({ maxFrames: MAX_FRAMES, maxBytes: FRAME_BYTES, decoder })
    this.#types = new Map(
      [...positions.types].map(([eventType, position]) => [
        eventType,
        { position, filter: filterOver(frames) },
      ]),
    )
    this.#otherTypes = filterOver(frames)
    this.#deduplicator = new Deduplicator(random)
    if ([...positions.types.values()].some(({ wants }) => wants !== undefined))
      output.queue.bytesPerWireByte += PARSED_UNIT_BYTES
  }

  /** Remembers the id of an event that was handled before this stream. */
  addKnownId(eventType: string, id: string): void {
    const filter = this.#types.get(eventType)?.filter
    if (filter !== undefined) this.#deduplicator.add(filter, id)
  }

  take(batch: Batch, from: number, to: number, atMs: number): void {
    for (let index = from; index < to; index += 1) {
      const frame = batch.messages[index] as ReceivedModuleFrame
      const kind = moduleFrames.classOf(frame)
      if (!isDelivered(kind)) continue
      if (kind === 'event') this.#takeEvent(frame, batch, index, atMs)
      else this.#deliver(this.#itemOf(frame, atMs), batch.extraBytesOf(index))
    }
  }

  flush(): void {
    this.#deduplicator.flush()
  }

  onLive(live: Live): void {
    this.#options.gaps.onLive(live)
  }

  onCursorsRejected(): void {
    this.#options.gaps.onCursorsRejected()
  }

  #takeEvent(frame: ReceivedModuleFrame, batch: Batch, index: number, atMs: number): void {
    const { output, ids, positions, decode } = this.#options
    const { eventType } = frame
    const type = this.#types.get(eventType)
    const id = ids.apply('id', frame.id, atMs)
    let key = id === frame.id ? undefined : id
    if (type === undefined) key = pair(ids.apply('eventType', eventType, atMs), id)
    const filter = type === undefined ? this.#otherTypes : type.filter
    const result = this.#deduplicator.check(filter, batch, index, key)
    if (result === 'duplicate') {
      output.statistics.duplicate()
      return
    }
    if (result === 'conflict')
      output.notify({ type: 'notice', kind: 'duplicate-conflict', atMs, eventType, id })
    if (type === undefined) {
      this.#deliver(this.#itemOf(frame, atMs), batch.extraBytesOf(index))
      return
    }
    const { wants, acks } = type.position
    const position = ids.apply('position', frame.position, atMs)
    if (position !== '') type.position.received = position
    const decoded = wants && decode(frame)
    if (decoded !== undefined && wants?.(decoded) === false) {
      acks.skip(position)
      output.statistics.filtered()
      return
    }
    const unacked = positions.receive(type.position, id, position)
    // A payload that was decoded for the selection is held in addition.
    const parsedBytes = wants === undefined ? 0 : PARSED_UNIT_BYTES * frame.payload.length
    const item = new ReceivedModuleItem(frame, atMs, decode, decoded, unacked)
    this.#deliver(item, batch.extraBytesOf(index) + parsedBytes)
    if (positions.limitReads())
      output.notify({ type: 'notice', kind: 'ack-backlog-full', atMs, unacked: positions.unacked })
  }

  #itemOf(frame: ReceivedModuleFrame, atMs: number): ModuleItem<Event> {
    return new ReceivedModuleItem(frame, atMs, this.#options.decode)
  }

  #deliver(item: ModuleItem<Event>, extraBytes: number): void {
    const { id, eventType, position, timestamp, version, payload } = item
    const ids = id.length + eventType.length + 2 * position.length
    this.#options.output.event(item, ids + timestamp.length + version.length + payload.length, extraBytes)
  }
}

function filterOver(frames: FrameRingBuffer<ReceivedModuleFrame>): DuplicateFilter<ReceivedModuleFrame> {
  return new DuplicateFilter({
    maxIds: MAX_IDS,
    idBytes: ID_BYTES,
    frames,
    compare: (known, frame) => (known.payload === frame.payload ? 'duplicate' : 'conflict'),
    idOnly: true,
  })
}

/** The id of an event of any type; empty if one of both is missing. */
function pair(eventType: string, id: string): string {
  return eventType === '' || id === '' ? '' : `${eventType}\n${id}`
}

/**
 * The pipeline of a module stream. Delivery is at least once, provided that the service replays the events after a position.
 *
 * Events of types that were not selected are delivered too. These types have no cursor, and share one duplicate filter because
 * there may be any number of them.
 */
import { isDelivered } from '../items/frame-class.ts'
import { PARSED_UNIT_BYTES } from '../items/item-bytes.ts'
import { type ModuleFrameDecoder, moduleFrames, type ReceivedModuleFrame } from '../items/module-frames.ts'
import { type ModuleDecoder, type ModuleItem, ReceivedModuleItem } from '../items/module-items.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import type { CursorTracker, TypeCursor } from './cursor-tracker.ts'
import { Deduplicator } from './deduplicator.ts'
import { DuplicateFilter } from './duplicate-filter.ts'
import type { FrameHandler, LiveEffect } from './frame-handler.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'
import type { IdLimit } from './id-limit.ts'
import type { ItemOutput } from './item-output.ts'
import type { ModuleGaps } from './module-gaps.ts'

const MIB = 1024 * 1024
const MAX_IDS = 20_000
const ID_BYTES = 2 * MIB
const MAX_FRAMES = 4096
const FRAME_BYTES = 8 * MIB

/** The parts of a stream that {@link ModulePipeline} needs. */
export interface ModulePipelineOptions<Event> {
  readonly output: ItemOutput<ModuleItem<Event>>
  readonly ids: IdLimit
  readonly cursors: CursorTracker
  readonly gaps: ModuleGaps
  readonly decoder: ModuleFrameDecoder
  readonly decode: ModuleDecoder<Event>
  readonly random: () => number
}

type Batch = MessageBatch<ReceivedModuleFrame>

/** Cursor and duplicate filter of a selected event type. */
interface SelectedType {
  readonly cursor: TypeCursor
  readonly filter: DuplicateFilter<ReceivedModuleFrame>
}

/** Makes items from the frames of one module stream. */
export class ModulePipeline<Event> implements FrameHandler<ReceivedModuleFrame> {
  readonly frameReader = moduleFrames
  readonly #options: ModulePipelineOptions<Event>
  readonly #types: ReadonlyMap<string, SelectedType>
  /** Duplicate filter of all event types that were not selected. */
  readonly #otherTypes: DuplicateFilter<ReceivedModuleFrame>
  readonly #deduplicator: Deduplicator<ReceivedModuleFrame>

  constructor(options: ModulePipelineOptions<Event>) {
    const { output, cursors, decoder, random } = options
    this.#options = options
    const frames = new FrameRingBuffer({ maxFrames: MAX_FRAMES, maxBytes: FRAME_BYTES, decoder })
    this.#types = new Map(
      [...cursors.types].map(([eventType, cursor]) => [eventType, { cursor, filter: createFilter(frames) }]),
    )
    this.#otherTypes = createFilter(frames)
    this.#deduplicator = new Deduplicator(random)
    if ([...cursors.types.values()].some(({ filter }) => filter !== undefined))
      output.queue.bytesPerWireByte += PARSED_UNIT_BYTES
  }

  /** Adds the id of an event that was handled before this stream started. */
  addKnownId(eventType: string, id: string): void {
    const filter = this.#types.get(eventType)?.filter
    if (filter !== undefined) this.#deduplicator.add(filter, id)
  }

  take(batch: Batch, from: number, to: number, atMs: number): void {
    for (let index = from; index < to; index += 1) {
      const frame = batch.messages[index] as ReceivedModuleFrame
      const kind = moduleFrames.classify(frame)
      if (!isDelivered(kind)) continue
      if (kind === 'event') this.#takeEvent(frame, batch, index, atMs)
      else this.#deliver(this.#createItem(frame, atMs), batch.extraBytesOf(index))
    }
  }

  flush(): void {
    this.#deduplicator.flush()
  }

  onLive(live: LiveEffect): void {
    this.#options.gaps.onLive(live)
  }

  onCursorsRejected(): void {
    this.#options.gaps.onCursorsRejected()
  }

  #takeEvent(frame: ReceivedModuleFrame, batch: Batch, index: number, atMs: number): void {
    const { output, ids, cursors, decode } = this.#options
    const { eventType } = frame
    const type = this.#types.get(eventType)
    const id = ids.apply('id', frame.id, atMs)
    let key = id === frame.id ? undefined : id
    if (type === undefined) key = typedId(ids.apply('eventType', eventType, atMs), id)
    const filter = type === undefined ? this.#otherTypes : type.filter
    const result = this.#deduplicator.check(filter, batch, index, key)
    if (result === 'duplicate') {
      output.statistics.duplicate()
      return
    }
    if (result === 'conflict')
      output.notify({ type: 'notice', kind: 'duplicate-conflict', atMs, eventType, id })
    if (type === undefined) {
      this.#deliver(this.#createItem(frame, atMs), batch.extraBytesOf(index))
      return
    }
    const { filter: isSelected, acks } = type.cursor
    const position = ids.apply('position', frame.position, atMs)
    if (position !== '') type.cursor.received = position
    const decoded = isSelected && decode(frame)
    if (decoded !== undefined && isSelected?.(decoded) === false) {
      acks.skip(position)
      output.statistics.filtered()
      return
    }
    const unacked = cursors.add(type.cursor, id, position)
    // The item also keeps the payload that was decoded for the selection.
    const parsedBytes = isSelected === undefined ? 0 : PARSED_UNIT_BYTES * frame.payload.length
    const item = new ReceivedModuleItem(frame, atMs, decode, decoded, unacked)
    this.#deliver(item, batch.extraBytesOf(index) + parsedBytes)
    if (cursors.limitReads())
      output.notify({ type: 'notice', kind: 'ack-backlog-full', atMs, unacked: cursors.unacked })
  }

  #createItem(frame: ReceivedModuleFrame, atMs: number): ModuleItem<Event> {
    return new ReceivedModuleItem(frame, atMs, this.#options.decode)
  }

  #deliver(item: ModuleItem<Event>, extraBytes: number): void {
    const { id, eventType, position, timestamp, version, payload } = item
    const idUnits = id.length + eventType.length + 2 * position.length
    this.#options.output.event(item, idUnits + timestamp.length + version.length + payload.length, extraBytes)
  }
}

function createFilter(frames: FrameRingBuffer<ReceivedModuleFrame>): DuplicateFilter<ReceivedModuleFrame> {
  return new DuplicateFilter({
    maxIds: MAX_IDS,
    idBytes: ID_BYTES,
    frames,
    compare: (known, frame) => (known.payload === frame.payload ? 'duplicate' : 'conflict'),
    idOnly: true,
  })
}

/**
 * Returns an id that is unique across event types, or an empty string if the event type or the id is empty.
 */
function typedId(eventType: string, id: string): string {
  return eventType === '' || id === '' ? '' : `${eventType}\n${id}`
}

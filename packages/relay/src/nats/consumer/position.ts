/**
 * The position of a reader in its stream, and the sequences after it that the stream no longer has.
 *
 * The server keeps an ack floor for each durable consumer, but it also counts messages as acknowledged that were removed after
 * their delivery, and a purge moves the floor. So a reader writes its own record into the description of its consumer: when
 * the consumer is made, and with `ack: 'auto'` when the reader ends.
 */
import { parseJsonObject } from '@brokerwire/core/internal'
import type { ConsumerInfo } from '@nats-io/jetstream'
import type { EventTimes } from './reader-gap.ts'

/** The record of a reader. */
export interface PositionRecord extends EventTimes {
  /** Everything up to this sequence was handled, or reported as missing. */
  readonly sequence: number
  /** The number of deliveries that the consumer had made: if it has made more, a reader did not end in good order. */
  readonly deliveries: number
  /** A message between `sequence` and this one may have been handled; a message after it was not. */
  readonly handledAtMost: number
}

/** The removed sequences of a stream. */
export interface StreamState {
  /** The first sequence that is still stored, or the next one if there is none. */
  readonly firstSeq: number
  /** Sequences after that one that were deleted, ascending. */
  readonly deleted: readonly number[]
}

/** Sequences, inclusive. */
export interface SequenceRange {
  readonly fromSeq: number
  readonly toSeq: number
}

/** A reader's position when its consumer is opened. */
export interface Position {
  /** Everything up to this sequence was handled, or reported as missing. */
  readonly sequence: number
  /** A message between `sequence` and this one may have been handled; a message after it was not. */
  readonly handledAtMost: number
  /** Times of the last event that was handled, or of an earlier one. */
  readonly times: EventTimes
}

/** The used part of a consumer's state: its progress. */
export interface ConsumerState extends Pick<ConsumerInfo, 'num_ack_pending'> {
  readonly ack_floor: Sequences
  readonly delivered: Sequences
}

type Sequences = Pick<ConsumerInfo['delivered'], 'consumer_seq' | 'stream_seq'>

const RECORD_PREFIX = 'brokerwire reader '

/** The text of a record, for a consumer's description. */
export function serializeRecord({ sequence, handledAtMost, times }: Position, deliveries: number): string {
  const record: PositionRecord = { sequence, deliveries, handledAtMost, ...times }
  return RECORD_PREFIX + JSON.stringify(record)
}

/** @returns `undefined` if the description is not a record. */
export function parseRecord(description: string | undefined): PositionRecord | undefined {
  if (description?.startsWith(RECORD_PREFIX) !== true) return undefined
  const value = parseJsonObject(description.slice(RECORD_PREFIX.length))
  if (value === undefined) return undefined
  const { sequence, deliveries, handledAtMost, serviceMs, hostMs } = value
  const numbers = [sequence, deliveries, handledAtMost]
  if (numbers.some((field) => typeof field !== 'number')) return undefined
  return {
    sequence: Number(sequence),
    deliveries: Number(deliveries),
    handledAtMost: Number(handledAtMost),
    serviceMs: typeof serviceMs === 'number' ? serviceMs : undefined,
    hostMs: typeof hostMs === 'number' ? hostMs : undefined,
  }
}

/**
 * The position of the readers of an existing consumer.
 *
 * @param window - With `ack: 'auto'`: the number of messages that a reader can have received and not handled; `undefined` with
 *   a filter, because those are any number of sequences.
 */
export function computePosition(
  { ack_floor: floor, delivered, num_ack_pending: unacked }: ConsumerState,
  record: PositionRecord | undefined,
  state: StreamState,
  ack: 'auto' | 'manual',
  window: number | undefined,
): Position {
  const times = { serviceMs: record?.serviceMs, hostMs: record?.hostMs }
  const at = (sequence: number, handledAtMost = sequence): Position => ({ sequence, handledAtMost, times })
  if (record?.deliveries === delivered.consumer_seq) return at(record.sequence, record.handledAtMost)
  // Readers that share a consumer do not know each other's messages.
  if (ack === 'manual') return at(delivered.stream_seq)
  const isFloorStored = floor.stream_seq >= state.firstSeq && !state.deleted.includes(floor.stream_seq)
  // Without a filter, the sequences after the floor are checked one by one.
  if (isFloorStored)
    return at(window === undefined && unacked === 0 ? delivered.stream_seq : floor.stream_seq)
  // The last reader did not end in good order, and the message at the floor may have been removed before it was handled.
  const earliest = window === undefined ? 0 : floor.stream_seq - window
  return at(Math.max(record?.sequence ?? 0, earliest, 0), floor.stream_seq)
}

/** The sequences after a position that the stream no longer has. */
export function removedAfter(position: number, { firstSeq, deleted }: StreamState): SequenceRange[] {
  const ranges: SequenceRange[] = []
  if (firstSeq > position + 1) ranges.push({ fromSeq: position + 1, toSeq: firstSeq - 1 })
  for (const sequence of deleted) {
    if (sequence <= Math.max(position, firstSeq)) continue
    const last = ranges.at(-1)
    if (last?.toSeq === sequence - 1) ranges[ranges.length - 1] = { fromSeq: last.fromSeq, toSeq: sequence }
    else ranges.push({ fromSeq: sequence, toSeq: sequence })
  }
  return ranges
}

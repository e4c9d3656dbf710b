/**
 * The checkpoint of a reader: the last sequence that it handled, and the sequences after it that the stream
 * no longer has.
 *
 * The server's ack floor is not enough, because it also counts messages that were removed after their
 * delivery, and a purge moves it. So a reader writes its own record into the description of its consumer:
 * when it creates the consumer, and with `ack: 'auto'` when it ends.
 */
import { parseJsonObject } from '@brokerwire/core/internal'
import type { ConsumerInfo } from '@nats-io/jetstream'
import type { EventTimes } from './reader-gap.ts'

/** The stored form of a checkpoint. */
export interface CheckpointRecord extends EventTimes {
  /** Everything up to this sequence was handled, or reported as missing. */
  readonly sequence: number
  /**
   * The number of deliveries of the consumer. If the consumer has made more, a reader was killed after it
   * wrote this record.
   */
  readonly deliveries: number
  /**
   * The last sequence that may have been handled. Messages after `sequence`, up to this one, may have been
   * handled. Later ones were not.
   */
  readonly handledAtMost: number
}

/** The part of a stream's state that shows which sequences were removed. */
export interface StreamState {
  /** The first sequence that is still stored; if no message is stored, the next sequence. */
  readonly firstSeq: number
  /** Sequences after `firstSeq` that were deleted, ascending. */
  readonly deleted: readonly number[]
}

/** A range of sequences, with both ends. */
export interface SequenceRange {
  readonly fromSeq: number
  readonly toSeq: number
}

/** A reader's progress when its consumer is opened. */
export interface Checkpoint {
  /** Everything up to this sequence was handled, or reported as missing. */
  readonly sequence: number
  /**
   * The last sequence that may have been handled. Messages after `sequence`, up to this one, may have been
   * handled. Later ones were not.
   */
  readonly handledAtMost: number
  /** Times of the last event that was handled, or of an earlier one. */
  readonly times: EventTimes
}

/** The part of a consumer's state that is used: its progress. */
export interface ConsumerState extends Pick<ConsumerInfo, 'num_ack_pending'> {
  readonly ack_floor: Sequences
  readonly delivered: Sequences
}

type Sequences = Pick<ConsumerInfo['delivered'], 'consumer_seq' | 'stream_seq'>

const RECORD_PREFIX = 'brokerwire reader '

/** Serializes a checkpoint, for the description of a consumer. */
export function serializeCheckpoint(
  { sequence, handledAtMost, times }: Checkpoint,
  deliveries: number,
): string {
  const record: CheckpointRecord = { sequence, deliveries, handledAtMost, ...times }
  return RECORD_PREFIX + JSON.stringify(record)
}

/** Parses the description of a consumer. @returns `undefined` if it is not a record. */
export function parseCheckpoint(description: string | undefined): CheckpointRecord | undefined {
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
 * Computes the checkpoint of an existing consumer.
 *
 * @param window - With `ack: 'auto'`: the maximum number of messages that a reader has received and not
 * handled. `undefined` with a filter, because these messages may be among any number of sequences.
 */
export function computeCheckpoint(
  { ack_floor: floor, delivered, num_ack_pending: unacked }: ConsumerState,
  record: CheckpointRecord | undefined,
  state: StreamState,
  ack: 'auto' | 'manual',
  window: number | undefined,
): Checkpoint {
  const times = { serviceMs: record?.serviceMs, hostMs: record?.hostMs }
  const at = (sequence: number, handledAtMost = sequence): Checkpoint => ({ sequence, handledAtMost, times })
  if (record?.deliveries === delivered.consumer_seq) return at(record.sequence, record.handledAtMost)
  // Readers that share a consumer do not know each other's messages, so every delivered message counts.
  if (ack === 'manual') return at(delivered.stream_seq)
  const isFloorStored = floor.stream_seq >= state.firstSeq && !state.deleted.includes(floor.stream_seq)
  // With a filter, everything is handled if no message waits for an acknowledgement. Without a filter, the
  // sequences after the floor are checked one by one.
  if (isFloorStored)
    return at(window === undefined && unacked === 0 ? delivered.stream_seq : floor.stream_seq)
  // The last reader was killed, and the message at the floor may have been removed before it was handled.
  const earliest = window === undefined ? 0 : floor.stream_seq - window
  return at(Math.max(record?.sequence ?? 0, earliest, 0), floor.stream_seq)
}

/** Finds the sequences after `after` that the stream no longer has. */
export function removedAfter(after: number, { firstSeq, deleted }: StreamState): SequenceRange[] {
  const ranges: SequenceRange[] = []
  if (firstSeq > after + 1) ranges.push({ fromSeq: after + 1, toSeq: firstSeq - 1 })
  for (const sequence of deleted) {
    if (sequence <= Math.max(after, firstSeq)) continue
    const last = ranges.at(-1)
    if (last?.toSeq === sequence - 1) ranges[ranges.length - 1] = { fromSeq: last.fromSeq, toSeq: sequence }
    else ranges.push({ fromSeq: sequence, toSeq: sequence })
  }
  return ranges
}

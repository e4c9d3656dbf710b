/**
 * The record of a stream in the cluster's store: the identity of the stream, the last stored sequence, and
 * until when each subscription was complete. The record remains if the stream deletes its messages, or is
 * deleted itself.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { stateInvalid } from '../relay-error.ts'
import {
  type CompleteUntil,
  type CompleteUntilBySubscription,
  parseCompleteUntil,
  parseCompleteUntils,
} from '../wire/notices.ts'

export interface StreamRecord {
  /** A random id of the run of an app that wrote the record. In the store it is called `writer`. */
  readonly runId: string
  /** The identity of the stream; empty if it has none. */
  readonly streamId: string
  /** The sequence of a stored message. */
  readonly sequence: number
  /** Since when the cluster has written this stream. */
  readonly since: CompleteUntil
  readonly completeUntil: CompleteUntilBySubscription
}

/** Returns the store key of a record. */
export function streamRecordKey(cluster: string, app: string): string {
  return ['relay', cluster, 'stream', app].map(encodeURIComponent).join('/')
}

export function serializeStreamRecord(record: StreamRecord): string {
  const { runId: writer, ...rest } = record
  return JSON.stringify({ v: 1, writer, ...rest })
}

/** Parses a record. @throws RelayError `RELAY_STATE_INVALID`. */
export function parseStreamRecord(storeKey: string, text: string): StreamRecord {
  const value = parseJsonObject(text)
  const since = parseCompleteUntil(value?.since)
  const completeUntil = parseCompleteUntils(value?.completeUntil)
  const { writer, streamId, sequence } = isRecord(value) ? value : {}
  const isValid =
    value?.v === 1 &&
    typeof writer === 'string' &&
    typeof streamId === 'string' &&
    Number.isSafeInteger(sequence)
  if (!isValid || since === undefined || completeUntil === undefined) {
    throw stateInvalid(storeKey, 'not a record of a stream', value?.v)
  }
  return { runId: writer, streamId, sequence: Number(sequence), since, completeUntil }
}

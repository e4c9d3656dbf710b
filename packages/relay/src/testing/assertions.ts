/** Assertions of the contract of a sink. */
import { deepStrictEqual } from 'node:assert'
import { isRelayError, type RelayErrorCode } from '../relay-error.ts'
import type { EventSink, SinkEntry, StoredEntry } from '../sink/event-sink.ts'
import type { SinkFixture } from './fixture.ts'

/** All messages of a stream. */
export const ALL = { maxEntries: 100_000 }

/** The fields of a message that a sink must return as they were published. It may return more headers. */
function comparable({ subject, key, headers, body, data }: SinkEntry, published: SinkEntry) {
  const names = Object.keys(published.headers).sort()
  return { subject, key, body, headers: names.map((name) => [name, headers[name]]), data: data && [...data] }
}

/** Requires that stored messages are the published ones, in this order and with sequences from `first` on. */
export function requireStored(
  stored: readonly StoredEntry[],
  published: readonly SinkEntry[],
  first = 1,
): void {
  deepStrictEqual(keys(stored), keys(published))
  for (const [at, entry] of published.entries()) {
    const found = stored[at] as StoredEntry
    deepStrictEqual(found.sequence, first + at, 'sequence')
    deepStrictEqual(comparable(found, entry), comparable(entry, entry))
  }
}

/** Requires that a new writer finds exactly these messages in the stream. */
export async function requireStream(
  { openSink }: SinkFixture,
  published: readonly SinkEntry[],
): Promise<void> {
  await using sink = await openSink()
  const { entries, sequence } = await sink.tail(ALL)
  deepStrictEqual(sequence, published.length, 'last sequence')
  requireStored(entries, published)
}

export const keys = (entries: readonly { readonly key: string }[]): string[] => entries.map(({ key }) => key)

/** Requires that a call rejects with an error of one of these codes. @returns The error. */
export async function requireRejection(call: Promise<unknown>, ...codes: readonly RelayErrorCode[]) {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const error = outcome?.error
  const found = isRelayError(error) ? error.code : outcome === undefined ? 'no error' : String(error)
  if (!isRelayError(error) || !codes.includes(error.code))
    throw new Error(`a call must reject with ${codes.join(' or ')}; received ${found}`)
  return error
}

/** Returns a function of the fixture or the sink, which the options of the contract promise. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new Error(`${name} must be defined, or its cases disabled in the options`)
  return value
}

/** Opens a writer that has read the end of the stream. */
export async function openWriter({ openSink }: SinkFixture): Promise<EventSink> {
  const sink = await openSink()
  await sink.tail({ maxEntries: 0 })
  return sink
}

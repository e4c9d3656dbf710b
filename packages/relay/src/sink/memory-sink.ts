/** Streams in the memory of this process, for tests. Several writers may share a stream, as on a server. */
import type { Closable } from '@brokerwire/core'
import { closable } from '@brokerwire/core/internal'
import type { RelayError } from '../relay-error.ts'
import { HEADER } from '../wire/headers.ts'
import { matchesSubject } from '../wire/subjects.ts'
import type { EventSink, StoredEntry } from './event-sink.ts'
import { sinkClosed, sinkUnavailable, streamTruncated, writerFenced } from './sink-errors.ts'

/** A stream in memory, which any number of writers may open. */
export interface MemoryStream {
  /** The name of the stream, for errors. */
  readonly name: string
  /** All stored messages, oldest first. */
  readonly entries: readonly StoredEntry[]
  /** Opens another writer of the stream. */
  open(): EventSink
  /** Removes the messages after `sequence`, as a stream that was restored from a backup has lost them. */
  truncate(sequence: number): void
}

/**
 * Creates an empty stream in memory.
 *
 * @example
 * ```ts
 * import { createMemoryStream } from '@brokerwire/relay'
 *
 * const stream = createMemoryStream('brokerwire_sandbox_us_desk-a')
 * await using sink = stream.open()
 * await sink.tail({ maxEntries: 0 })
 * await sink.publish([{ subject: 'a.b', key: '1', headers: {}, body: 'text' }])
 * console.log(stream.entries.length) // 1
 * ```
 */
export function createMemoryStream(name: string): MemoryStream {
  const entries: StoredEntry[] = []
  const lossError = (acknowledged: number): RelayError => {
    if (entries.length < acknowledged) return streamTruncated(name, acknowledged, entries.length)
    const isWriterNotice = ({ headers }: StoredEntry) => headers[HEADER.kind] === 'writer-changed'
    return writerFenced(name, entries.length, entries.filter(isWriterNotice).at(-1))
  }
  const open = (): EventSink => {
    /** The sequence before the writer's next message. */
    let last = 0
    /** The message with that sequence. */
    let lastEntry: StoredEntry | undefined
    /** The reason why the tail must be read before the next call of `publish`. */
    let endReason = sinkUnavailable(name, 'its tail must be read before publishing') as RelayError | undefined
    let isClosed = false
    const end: Closable = closable(async () => {
      isClosed = true
    })
    const requireOpen = (): void => {
      if (isClosed) throw sinkClosed(name)
    }
    return {
      ...end,
      async tail({ maxEntries, lastOf = [] }) {
        requireOpen()
        last = entries.length
        lastEntry = entries.at(-1)
        endReason = undefined
        return {
          sequence: last,
          entries: maxEntries === 0 ? [] : entries.slice(-maxEntries),
          lastOf: lastOf.map((filter) =>
            entries.filter(({ subject }) => matchesSubject(filter, subject)).at(-1),
          ),
        }
      },
      async publish(batch) {
        requireOpen()
        if (endReason === undefined && lastEntry !== entries.at(-1)) endReason = lossError(last)
        if (endReason !== undefined) throw endReason
        for (const entry of batch) entries.push({ ...entry, sequence: entries.length + 1 })
        last = entries.length
        lastEntry = entries.at(-1)
        return { sequence: last }
      },
    }
  }
  const truncate = (sequence: number): void => {
    entries.length = sequence
  }
  return { name, entries, open, truncate }
}

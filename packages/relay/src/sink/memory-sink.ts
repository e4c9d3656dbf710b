/** Streams in the memory of this process, for tests. Several writers may share a stream, as on a server. */
import type { Closable } from '@brokerwire/core'
import { closable } from '@brokerwire/core/internal'
import { HEADER } from '../wire/headers.ts'
import { matchesSubject } from '../wire/subjects.ts'
import type { EventSink, StoredEntry } from './event-sink.ts'
import { fenced, sinkClosed } from './sink-errors.ts'

/** A stream in memory, which any number of writers may open. */
export interface MemoryStream {
  /** The name of the stream, for errors. */
  readonly name: string
  /** All stored messages, oldest first. */
  readonly entries: readonly StoredEntry[]
  /** Opens another writer of the stream. */
  open(): EventSink
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
  const open = (): EventSink => {
    /** The sequence before the writer's next message; `undefined` until the writer has read the tail. */
    let last: number | undefined
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
        if (last === undefined || last !== entries.length) {
          last = undefined
          const isWriterNotice = ({ headers }: StoredEntry) => headers[HEADER.kind] === 'writer-changed'
          throw fenced(name, entries.length, entries.filter(isWriterNotice).at(-1))
        }
        for (const entry of batch) entries.push({ ...entry, sequence: entries.length + 1 })
        last = entries.length
        return { sequence: last }
      },
    }
  }
  return { name, entries, open }
}

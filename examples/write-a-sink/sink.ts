/** A sink for a relay whose storage is an array. A database does the same in a transaction. */
import {
  type BatchStorage,
  createBatchSink,
  type EventSink,
  matchesSubject,
  type SinkState,
  type StoredEntry,
  type StreamAddress,
  streamName,
} from '@brokerwire/relay'

const streams = new Map<string, { entries: StoredEntry[]; token: string }>()

interface SinkContext {
  readonly address: StreamAddress
  readonly options: Readonly<Record<string, unknown>>
  readonly onState: (state: SinkState) => void
}

export function createSink({ address, onState }: SinkContext): EventSink {
  const name = streamName(address)
  const stream = streams.get(name) ?? { entries: [], token: '' }
  streams.set(name, stream)
  const end = () => ({ sequence: stream.entries.length, token: stream.token })
  const storage: BatchStorage = {
    async readTail({ maxEntries, lastOf = [] }) {
      const { entries } = stream
      return {
        ...end(),
        entries: maxEntries === 0 ? [] : entries.slice(-maxEntries),
        lastOf: lastOf.map((filter) =>
          entries.filter(({ subject }) => matchesSubject(filter, subject)).at(-1),
        ),
      }
    },
    async append(batch, expected, token) {
      if (expected.sequence !== stream.entries.length || expected.token !== stream.token) return end()
      for (const entry of batch) stream.entries.push({ ...entry, sequence: stream.entries.length + 1 })
      stream.token = token
      return end()
    },
    probe: async () => ({ ...end(), retention: {} }),
  }
  return createBatchSink({ storage, name, onState })
}

/** Deletes a stream. The contract begins each case without one. */
export function deleteStream(address: StreamAddress): void {
  streams.delete(streamName(address))
}

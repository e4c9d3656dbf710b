/** The streams of one app key that were started and not finished: whoever disposes of them ends them all, for good. */
import { StreamsError } from './streams-error.ts'

interface OpenStream {
  return(): Promise<unknown>
}

/** Keeps count of open streams. */
export interface OpenStreams {
  /** @throws StreamsError `STREAM_CLOSED` after {@link closeAll}. */
  add(stream: OpenStream): void
  delete(stream: OpenStream): void
  /** Leaves every stream, as `return()` of each does, and lets no other begin. */
  closeAll(): Promise<void>
}

/** Makes an empty set. */
export function createOpenStreams(): OpenStreams {
  const open = new Set<OpenStream>()
  let closed = false
  return {
    add(stream) {
      if (closed) {
        throw new StreamsError('STREAM_CLOSED', 'these streams were disposed of: make new ones', {
          details: {},
        })
      }
      open.add(stream)
    },
    delete: (stream) => {
      open.delete(stream)
    },
    async closeAll() {
      closed = true
      await Promise.all([...open].map((stream) => stream.return()))
    },
  }
}

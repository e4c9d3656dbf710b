/** Writes the messages of a request, no faster than the server takes them. */
import type { ClientHttp2Stream } from 'node:http2'

/**
 * Sends what `input` yields. A call with one message is ended together with it.
 *
 * @throws What `input` or `encode` throws. A stream that is over is no error: its own end says more.
 */
export async function sendMessages<T>(
  stream: ClientHttp2Stream,
  input: AsyncIterable<T>,
  single: boolean,
  encode: (message: T) => Promise<Buffer>,
): Promise<void> {
  const messages = input[Symbol.asyncIterator]()
  const leave = (): void => {
    // An input that waits for something is told that nobody does any more; what it says to that is its own affair.
    messages.return?.().catch(() => {})
  }
  stream.once('close', leave)
  try {
    for (;;) {
      const result = await messages.next()
      if (result.done === true) break
      const bytes = await encode(result.value)
      if (stream.closed || stream.destroyed || stream.writableEnded) return
      if (single) {
        stream.end(bytes)
        return
      }
      if (!stream.write(bytes)) await drained(stream)
    }
    if (!stream.writableEnded && !stream.closed) stream.end()
  } finally {
    stream.off('close', leave)
    if (single) leave()
  }
}

function drained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.once('drain', done)
    stream.once('close', done)
  })
}

/** Writes a response of the RPC library to an HTTP/2 response. */
import type { Http2ServerResponse } from 'node:http2'
import type { UniversalServerResponse } from '@connectrpc/connect/protocol'

/**
 * Writes head, body and trailers. The head follows the first read of the body, because the handler can set
 * headers until then. A closed stream ends the body.
 */
export async function writeResponse(
  { status, header, body, trailer }: UniversalServerResponse,
  response: Http2ServerResponse,
): Promise<void> {
  const { stream } = response
  const chunks = body?.[Symbol.asyncIterator]()
  try {
    let chunk = await chunks?.next()
    response.writeHead(status, Object.fromEntries(header ?? []))
    while (chunk?.done === false && !stream.destroyed) {
      if (!response.write(chunk.value)) await drained(response)
      chunk = await chunks?.next()
    }
    // Trailers may be set until the body has ended.
    response.addTrailers(Object.fromEntries(trailer ?? []))
    response.end()
  } finally {
    await chunks?.return?.()
  }
}

/** Waits until the response can take more data, or is closed. */
function drained(response: Http2ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const onReady = (): void => {
      response.off('drain', onReady).off('close', onReady)
      resolve()
    }
    response.on('drain', onReady).on('close', onReady)
  })
}

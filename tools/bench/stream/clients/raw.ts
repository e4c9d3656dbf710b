/** `node:http2` with our windows, frames thrown away: the most that any client on it can reach. */
import { connect, constants } from 'node:http2'
import { TradeSubscribeRequestSchema } from '@brokerwire/protos/trade'
import { create, toBinary } from '@bufbuild/protobuf'
import { WINDOW_BYTES } from '../plan.ts'
import { envelope, readStamp } from '../wire/messages.ts'
import { type CreateBenchClient, METHOD_PATH, REQUEST } from './client.ts'

export const requestBytes = (payload: string): Buffer =>
  envelope(
    toBinary(TradeSubscribeRequestSchema, create(TradeSubscribeRequestSchema, { ...REQUEST, payload })),
  )

export const createRaw: CreateBenchClient = (port) => {
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: WINDOW_BYTES } })
  session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES))
  return {
    receive: (payload, onMessage) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          [constants.HTTP2_HEADER_METHOD]: 'POST',
          [constants.HTTP2_HEADER_PATH]: METHOD_PATH,
          [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc+proto',
          te: 'trailers',
        })
        let bytes = 0
        // Of lone messages, each of which comes as one chunk, the instant is read, and nothing else.
        const stamped = payload.includes('"lone"')
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (stamped) onMessage({ eventType: 0, payload: '', timestamp: readStamp(chunk) })
        })
        stream.on('error', reject)
        stream.on('end', () => resolve(bytes))
        stream.end(requestBytes(payload))
      }),
    close: () => session.destroy(),
  }
}

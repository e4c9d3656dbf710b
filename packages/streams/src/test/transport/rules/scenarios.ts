/** Scenarios of several rules: a stream or a unary call to a server with a given response. */
import type { OutgoingHttpHeaders } from 'node:http2'
import { isDeepStrictEqual } from 'node:util'
import { texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler } from '@brokerwire/testing/http2-server'
import { GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import type { CommonOptions, Harness } from '../harness.ts'
import { outcomeOf, unaryOutcome } from '../outcome.ts'

/** Returns the outcome of a stream, and checks that an interceptor that changes nothing does not change it. */
export async function streamed(
  harness: Harness,
  handler: Handler,
  options?: CommonOptions,
): Promise<unknown> {
  const { url } = await harness.server(handler)
  const direct = await takeAll(harness.client(url, options))
  const through = await takeAll(harness.client(url, { ...options, interceptors: [(next) => next] }))
  return isDeepStrictEqual(direct, through) ? direct : { direct, through }
}

/** Reads a stream. Checks that a second read returns the end, and that `onTrailer` is called once, only after the status OK. */
async function takeAll(client: ReturnType<Harness['client']>): Promise<unknown> {
  let trailerCalls = 0
  const stream = client.serverStream({}, { onTrailer: () => trailerCalls++ })
  const outcome = await outcomeOf(stream)
  const [again] = await outcomeOf(stream)
  const regular = again === 'ok' && trailerCalls === (outcome.at(-1) === 'ok' ? 1 : 0)
  return regular ? outcome : { outcome, again, trailerCalls }
}

/** Returns the outcome of a unary call. */
export async function unary(harness: Harness, handler: Handler): Promise<unknown> {
  return unaryOutcome(harness.client((await harness.server(handler)).url).unary({}))
}

/** A handler that sends one message, then these trailers. */
export const trailers =
  (fields: OutgoingHttpHeaders | null): Handler =>
  (call) => {
    call.send('a')
    call.end(fields)
  }

/** Returns the outcome of a stream to a server that sends only these frames. */
export async function instead(
  harness: Harness,
  frames: (call: WireCall) => readonly Buffer[],
): Promise<unknown> {
  const server = await harness.wire((call) => call.write(...frames(call)))
  return outcomeOf(harness.client(server.url).serverStream({}))
}

/** Returns the outcome of a stream to a server that sends response headers, a message and these frames. */
export function after(harness: Harness, frames: (call: WireCall) => readonly Buffer[]): Promise<unknown> {
  return instead(harness, (call) => [call.headers(GRPC_HEAD), call.data(texts('a')), ...frames(call)])
}

/** Encodes numbers as in frames, big-endian. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

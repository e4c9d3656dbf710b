/** Scenes that many rules play: a stream, or a call with one message, to a server that answers in a certain way. */
import type { OutgoingHttpHeaders } from 'node:http2'
import { isDeepStrictEqual } from 'node:util'
import { texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler } from '@brokerwire/testing/http2-server'
import { GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import type { Bench, CommonOptions } from '../bench.ts'
import { outcomeOf, unaryOutcome } from '../outcome.ts'

/** A stream of one server's answer: an interceptor that passes everything on changes nothing. */
export async function streamed(bench: Bench, handler: Handler, options?: CommonOptions): Promise<unknown> {
  const { url } = await bench.server(handler)
  const direct = await takeAll(bench.client(url, options))
  const through = await takeAll(bench.client(url, { ...options, interceptors: [(next) => next] }))
  return isDeepStrictEqual(direct, through) ? direct : { direct, through }
}

/** Its outcome, where that comes once and trailers are told of a success alone. */
async function takeAll(client: ReturnType<Bench['client']>): Promise<unknown> {
  let told = 0
  const stream = client.serverStream({}, { onTrailer: () => told++ })
  const outcome = await outcomeOf(stream)
  const [again] = await outcomeOf(stream)
  const regular = again === 'ok' && told === (outcome.at(-1) === 'ok' ? 1 : 0)
  return regular ? outcome : { outcome, again, told }
}

/** The same of a call with one message. */
export async function unary(bench: Bench, handler: Handler): Promise<unknown> {
  return unaryOutcome(bench.client((await bench.server(handler)).url).unary({}))
}

/** One message, then these trailers. */
export const trailers =
  (fields: OutgoingHttpHeaders | null): Handler =>
  (call) => {
    call.send('a')
    call.end(fields)
  }

/** What a stream gives when these frames are all that comes. */
export async function instead(bench: Bench, frames: (call: WireCall) => readonly Buffer[]): Promise<unknown> {
  const server = await bench.wire((call) => call.write(...frames(call)))
  return outcomeOf(bench.client(server.url).serverStream({}))
}

/** The same where they come after the head and a message. */
export function after(bench: Bench, frames: (call: WireCall) => readonly Buffer[]): Promise<unknown> {
  return instead(bench, (call) => [call.headers(GRPC_HEAD), call.data(texts('a')), ...frames(call)])
}

/** Numbers as frames have them. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

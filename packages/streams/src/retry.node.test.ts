/** Temporary refusals of a real HTTP/2 server, on virtual time. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { type ServerCall, startHttp2Server } from '@brokerwire/testing/http2-server'
import { expect, onTestFinished, test } from 'vitest'
import { targetOf, testContext } from './test/context.ts'
import { tradeFrame } from './test/frames.ts'
import { createTradeStream } from './trade-stream.ts'

type Answer = (call: ServerCall) => void

const SUCCESS = envelope(tradeFrame(TradeEventType.SubscribeSuccess, { requestId: 'connection-1' }))

/** Accepts a subscription, which ends with UNAVAILABLE when the connection is dropped. */
const accept: Answer = (call) => {
  call.respond()
  call.write(SUCCESS)
}
const http =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (call) =>
    call.trailersOnly({ ':status': status, 'content-type': 'text/html', ...headers })
const grpc =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (call) =>
    call.trailersOnly({
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(status),
      ...headers,
    })
const inTrailers =
  (trailers: Record<string, string>): Answer =>
  (call) => {
    call.respond()
    call.end(trailers)
  }

/** Creates a stream whose calls get these responses in order. Random numbers are 0. */
async function open(answers: readonly Answer[]) {
  const left = [...answers]
  const server = await startHttp2Server({
    async handler(call) {
      if ((await call.body).length > 0) left.shift()?.(call)
    },
  })
  onTestFinished(() => server.close())
  const clock = createVirtualClock(Date.UTC(2026, 0, 1))
  const stream = createTradeStream(
    testContext({ clock }),
    targetOf(server.url),
    'trade',
    { accounts: ['A1'] },
    payloads,
  )
  onTestFinished(async () => void (await stream.return()))
  const next = async (kind: 'subscribed' | 'reconnecting') => {
    for (;;) {
      const { value: item, done } = await stream.next()
      if (done) throw new Error('the stream ended')
      if (item.type === 'notice' && item.kind === kind) return item
    }
  }
  return { server, clock, stream, next }
}

test.each([
  ['HTTP 404 of a proxy', http(404), 'unimplemented', 4000],
  ['HTTP 429', http(429, { 'retry-after': '20' }), 'unavailable', 20_000],
  ['HTTP 503', http(503, { 'retry-after': '7' }), 'unavailable', 7000],
  [
    'HTTP 503 with a date',
    http(503, { date: 'Thu, 01 Jan 2026 10:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 10:00:09 GMT' }),
    'unavailable',
    9000,
  ],
  ['HTTP 503 for a day', http(503, { 'retry-after': '86400' }), 'unavailable', 300_000],
  ['INVALID_ARGUMENT', grpc(3), 'invalid_argument', 4000],
  ['NOT_FOUND', grpc(5), 'not_found', 4000],
  ['UNIMPLEMENTED', grpc(12), 'unimplemented', 4000],
  ['UNAVAILABLE with a pushback', grpc(14, { 'grpc-retry-pushback-ms': '2500' }), 'unavailable', 2500],
  [
    'RESOURCE_EXHAUSTED with Retry-After in trailers',
    inTrailers({ 'grpc-status': '8', 'retry-after': '9' }),
    'resource_exhausted',
    9000,
  ],
] as const)('%s at a reconnect is retried after the delay', async (_, answer, status, delayMs) => {
  const { server, clock, next } = await open([accept, answer, accept])
  expect(await next('subscribed')).toMatchObject({ attempt: 1 })
  server.drop()
  expect(await next('reconnecting')).toMatchObject({ delayMs: 0 })
  await clock.advance(0)
  expect(await next('reconnecting')).toMatchObject({ status, delayMs })
  await clock.advance(delayMs)
  expect(await next('subscribed')).toMatchObject({ attempt: 3 })
})

test.each([
  ['HTTP 404', http(404), 'unimplemented'],
  ['INVALID_ARGUMENT', grpc(3), 'invalid_argument'],
  ['UNIMPLEMENTED', grpc(12), 'unimplemented'],
] as const)('%s at the first attempt ends the stream at once', async (_, answer, status) => {
  const { stream } = await open([answer])
  await expect(stream.next()).rejects.toMatchObject({ code: 'STREAM_REFUSED', details: { status } })
})

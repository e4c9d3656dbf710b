/** The timestamp of subscribe requests, by the clock of the streams (docs/facts.md, Request). */
import { createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { ModuleSubscribeRequestSchema, TradeSubscribeRequestSchema } from '@brokerwire/protos'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createModuleStream } from './module-stream.ts'
import { targetOf, testContext } from './test/context.ts'
import { createTradeStream } from './trade-stream.ts'

const ENVELOPE_BYTES = 5
const STARTED_MS = Date.UTC(2026, 2, 4, 5, 6, 7)

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

test('a trade request has the time of its attempt, and no content type and payload', async () => {
  const context = testContext({ clock: createVirtualClock(STARTED_MS) })
  const stream = createTradeStream(context, targetOf(server.url), 'trade', { accounts: ['A1'] }, payloads)
  const first = stream.next()
  first.catch(() => {})
  const { body } = await server.call()
  expect(fromBinary(TradeSubscribeRequestSchema, body.subarray(ENVELOPE_BYTES))).toMatchObject({
    timestamp: BigInt(STARTED_MS),
    accounts: ['A1'],
    contentType: '',
    payload: '',
  })
  await stream.return()
})

test('a module request has the time of its attempt as a string', async () => {
  const context = testContext({ clock: createVirtualClock(STARTED_MS) })
  const target = targetOf(server.url)
  const decode = (frame: Parameters<typeof payloads.module>[0]) => payloads.module(frame)
  const stream = createModuleStream(context, target, { modules: ['application'] }, decode)
  const first = stream.next()
  first.catch(() => {})
  const { body } = await server.call()
  const request = fromBinary(ModuleSubscribeRequestSchema, body.subarray(ENVELOPE_BYTES))
  expect(request.timestamp).toBe(String(STARTED_MS))
  await stream.return()
})

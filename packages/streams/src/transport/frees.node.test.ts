/** Servers that keep a failed connection open: this side closes it, so that the process can exit. */
import { connect, type Socket } from 'node:net'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame, GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../test/transport/active-resources.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { outcomeOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'

let harness: Harness
beforeEach(() => {
  harness = createHarness('ours')
})
afterEach(() => harness.close())

const stray = [frame(FRAME.headers, 4, 99, Buffer.from([0x88]))]
const goaway = [frame(FRAME.goaway, 0, 0, Buffer.from([0, 0, 0, 1, 0, 0, 0, 2]))]

test.each([
  ['violates HTTP/2', stray, {}, 'internal'],
  ['sends GOAWAY with an error code', goaway, {}, 'unavailable'],
  ['does not acknowledge a PING', [], { ignorePings: true }, 'unavailable'],
])('closes the connection of a server that %s and keeps its side open', async (_, frames, options, code) => {
  const answer = (call: WireCall) => call.write(call.headers(GRPC_HEAD), call.data(texts('a')), ...frames)
  const server = await harness.wire(answer, { stubborn: true, ...options })
  let socket: Socket | undefined
  const transport = createStreamTransport({
    baseUrl: server.url,
    keepAlive: { intervalMs: 100, timeoutMs: 100 },
    createConnection: () => {
      socket = connect(server.port, '127.0.0.1')
      return socket
    },
  })
  // The transport is not closed.
  expect(await outcomeOf(createStreamClient(Echo, transport).serverStream({}))).toEqual(['a', code])
  expect(await until(() => socket?.destroyed === true)).toBe(true)
})

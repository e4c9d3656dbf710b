/** Rules of lost connections, GOAWAY, and servers that do not speak HTTP/2. */
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, fieldBlock, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { codeName, outcomeOf, unaryOutcome } from '../outcome.ts'
import { CONNECT, RFC_9113, type Rule, STATUS_CODES } from './rule.ts'
import { after, uint32 } from './scenarios.ts'

/** Encodes GOAWAY. @param lastStream - The last stream that the server processes. */
const goaway = (lastStream: number, code: number) => frame(FRAME.goaway, 0, 0, uint32(lastStream, code))

export const connectionRules: readonly Rule[] = [
  {
    id: 'a connection that is closed in the middle of a stream ends the call',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(call.headers(GRPC_HEAD), call.data(texts('a')))
        call.socket.end()
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['a', 'unavailable'],
    connectNode: {
      expected: ['a', 'canceled'],
      because:
        'Node resets the streams of a lost connection with CANCEL, but neither the caller nor the server cancelled the call.',
    },
  },
  {
    id: 'a connection that is reset in the middle of a stream ends the call',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.socket.write(Buffer.concat([call.headers(GRPC_HEAD), call.data(texts('a'))]), () =>
          call.socket.resetAndDestroy(),
        )
      })
      // A reset may arrive before the data that was sent earlier, so only the end of the call is compared.
      return (await outcomeOf(harness.client(server.url).serverStream({}))).at(-1)
    },
    expected: 'unavailable',
    connectNode: {
      expected: 'canceled',
      because:
        'Node resets the streams of a lost connection with CANCEL, but neither the caller nor the server cancelled the call.',
    },
  },
  {
    id: 'a connection that is closed before the response headers ends the call',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(harness) {
      const server = await harness.wire((call) => call.socket.end())
      return unaryOutcome(harness.client(server.url).unary({}))
    },
    expected: ['unavailable'],
    connectNode: {
      expected: ['canceled'],
      because:
        'Node resets the streams of a lost connection with CANCEL, but neither the caller nor the server cancelled the call.',
    },
  },
  {
    id: 'a call fails if no server listens at the address',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(harness) {
      const { url, close } = await harness.server()
      await close()
      return unaryOutcome(harness.client(url).unary({}))
    },
    expected: ['unavailable'],
  },
  {
    id: 'a call to a host that does not exist fails',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    run: (harness) => unaryOutcome(harness.client('https://nowhere.invalid').unary({})),
    expected: ['unavailable'],
  },
  {
    id: 'after GOAWAY with NO_ERROR, open streams continue and new calls use another connection',
    source: `${RFC_9113}, section 6.8`,
    async run(harness) {
      const server = await harness.server()
      const client = harness.client(server.url)
      const first = client.serverStream({})
      const call = await server.call()
      call.send('a')
      const received = [(await first.next()).value?.value]
      call.session.goaway(0)
      // The client has read GOAWAY when it has read the message after it.
      call.send('b')
      received.push((await first.next()).value?.value)
      const second = outcomeOf(client.serverStream({}))
      const other = await server.call()
      other.end()
      call.send('c')
      call.end()
      return {
        received,
        second: await second,
        rest: await outcomeOf(first),
        connections: server.connections,
      }
    },
    expected: { received: ['a', 'b'], second: ['ok'], rest: ['c', 'ok'], connections: 2 },
  },
  {
    id: 'after GOAWAY between two calls, the next call uses another connection',
    source: `${RFC_9113}, section 6.8`,
    async run(harness) {
      const server = await harness.server((call) => {
        call.send('a')
        call.end()
      })
      const client = harness.client(server.url)
      const first = await unaryOutcome(client.unary({}))
      const [session] = server.sessions
      const gone = new Promise((resolve) => session?.once('close', resolve))
      session?.goaway(0)
      session?.close()
      await gone
      return { first, second: await unaryOutcome(client.unary({})), connections: server.connections }
    },
    expected: { first: ['a', 'ok'], second: ['a', 'ok'], connections: 2 },
  },
  {
    id: 'GOAWAY with an error code and a closed connection end the call',
    source: `${RFC_9113}, section 6.8; ${STATUS_CODES}`,
    run: (harness) =>
      Promise.all(
        [1, 2, 11].map(async (code) => {
          const server = await harness.wire((call) => {
            call.write(call.headers(GRPC_HEAD), call.data(texts('a')), goaway(call.stream, code))
            call.socket.end()
          })
          return outcomeOf(harness.client(server.url).serverStream({}))
        }),
      ),
    expected: Array.from({ length: 3 }, () => ['a', 'unavailable']),
    connectNode: {
      expected: Array.from({ length: 3 }, () => ['a', 'internal']),
      because: 'A connection that its server closes is UNAVAILABLE, because the next one may work.',
    },
  },
  {
    id: 'a call fails if GOAWAY excludes its stream and the retry fails too',
    source: `${RFC_9113}, section 6.8 (it may be tried again)`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(goaway(0, 0))
        call.socket.end()
      })
      return unaryOutcome(harness.client(server.url).unary({}))
    },
    expected: ['unavailable'],
    connectNode: {
      expected: ['internal'],
      because: "REFUSED_STREAM is UNAVAILABLE in the document's table.",
    },
  },
  {
    id: 'a call to a server that speaks HTTP/1 fails',
    source: `${RFC_9113}, section 3.4`,
    async run(harness) {
      const server = await harness.wire(() => {}, {
        greeting: Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
      })
      return unaryOutcome(harness.client(server.url).unary({}))
    },
    expected: ['internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has no listener, and ends the process.',
    },
  },
  {
    id: 'a call in plain text to a server that speaks TLS fails',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(harness) {
      const server = await harness.server(undefined, { tls: createSelfSignedCertificate() })
      return unaryOutcome(harness.client(server.url.replace('https:', 'http:')).unary({}))
    },
    expected: ['unavailable'],
    connectNode: {
      expected: ['canceled'],
      because:
        'Node resets the streams of a lost connection with CANCEL, but neither the caller nor the server cancelled the call.',
    },
  },
  {
    id: 'invalid SETTINGS of the server end the call',
    source: `${RFC_9113}, section 6.5.2`,
    async run(harness) {
      const server = await harness.wire(() => {}, {
        greeting: frame(FRAME.settings, 0, 0, Buffer.from('000200000007', 'hex')),
      })
      return unaryOutcome(harness.client(server.url).unary({}))
    },
    expected: ['internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has no listener, and ends the process.',
    },
  },
  {
    id: 'a pushed response ends the call, because push is switched off',
    source: `${RFC_9113}, section 8.4`,
    run: (harness) =>
      after(harness, (call) => [
        frame(
          FRAME.pushPromise,
          4,
          call.stream,
          Buffer.concat([
            uint32(2),
            fieldBlock({ ':method': 'GET', ':scheme': 'http', ':authority': 'x', ':path': '/' }),
          ]),
        ),
      ]),
    expected: ['a', 'internal'],
    connectNode: { notRun: true, because: 'It never ends.' },
  },
  {
    id: 'a flow-control window that overflows ends the call',
    source: `${RFC_9113}, section 6.9.1`,
    run: (harness) => after(harness, () => [frame(FRAME.windowUpdate, 0, 0, uint32(0x7f_ff_ff_ff))]),
    expected: ['a', 'internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has no listener, and ends the process.',
    },
  },
  {
    id: 'a call fails if an interceptor changes its host',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const client = harness.client(server.url, {
        interceptors: [
          (next) => (request) => next({ ...request, url: 'http://127.0.0.1:1/test.Echo/Unary' }),
        ],
      })
      return client.unary({}).catch(codeName)
    },
    expected: 'internal',
  },
]

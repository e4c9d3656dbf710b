/** Lost connections, GOAWAY, servers that speak something else. */
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, fieldBlock, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { codeName, outcomeOf, unaryOutcome } from '../outcome.ts'
import { CONNECT, RFC_9113, type Rule, STATUS_CODES } from './rule.ts'
import { after, uint32 } from './scenes.ts'

/** GOAWAY names the last stream that is served. */
const goaway = (lastStream: number, code: number) => frame(FRAME.goaway, 0, 0, uint32(lastStream, code))

export const connectionRules: readonly Rule[] = [
  {
    id: 'the connection is closed in the middle of a stream',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(bench) {
      const server = await bench.wire((call) => {
        call.write(call.headers(GRPC_HEAD), call.data(texts('a')))
        call.socket.end()
      })
      return outcomeOf(bench.client(server.url).serverStream({}))
    },
    expected: ['a', 'unavailable'],
    connectNode: {
      expected: ['a', 'canceled'],
      because:
        'What Node calls CANCEL when a connection is lost is no decision of the caller or of the server.',
    },
  },
  {
    id: 'the connection is reset in the middle of a stream',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(bench) {
      const server = await bench.wire((call) => {
        call.socket.write(Buffer.concat([call.headers(GRPC_HEAD), call.data(texts('a'))]), () =>
          call.socket.resetAndDestroy(),
        )
      })
      // A reset may overtake what was sent before it: what counts is how the call ends.
      return (await outcomeOf(bench.client(server.url).serverStream({}))).at(-1)
    },
    expected: 'unavailable',
    connectNode: {
      expected: 'canceled',
      because:
        'What Node calls CANCEL when a connection is lost is no decision of the caller or of the server.',
    },
  },
  {
    id: 'the connection is closed before the head',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(bench) {
      const server = await bench.wire((call) => call.socket.end())
      return unaryOutcome(bench.client(server.url).unary({}))
    },
    expected: ['unavailable'],
    connectNode: {
      expected: ['canceled'],
      because:
        'What Node calls CANCEL when a connection is lost is no decision of the caller or of the server.',
    },
  },
  {
    id: 'nobody listens',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(bench) {
      const { url, close } = await bench.server()
      await close()
      return unaryOutcome(bench.client(url).unary({}))
    },
    expected: ['unavailable'],
  },
  {
    id: 'a host that does not exist',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    run: (bench) => unaryOutcome(bench.client('https://nowhere.invalid').unary({})),
    expected: ['unavailable'],
  },
  {
    id: 'GOAWAY without an error: streams that are served go on, calls after it have another connection',
    source: `${RFC_9113}, section 6.8`,
    async run(bench) {
      const server = await bench.server()
      const client = bench.client(server.url)
      const first = client.serverStream({})
      const call = await server.call()
      call.send('a')
      const heard = [(await first.next()).value?.value]
      call.session.goaway(0)
      // The client has read GOAWAY once it has read what was sent after it.
      call.send('b')
      heard.push((await first.next()).value?.value)
      const second = outcomeOf(client.serverStream({}))
      const other = await server.call()
      other.end()
      call.send('c')
      call.end()
      return [heard, await second, await outcomeOf(first), server.connections]
    },
    expected: [['a', 'b'], ['ok'], ['c', 'ok'], 2],
  },
  {
    id: 'GOAWAY between calls: the next one has another connection',
    source: `${RFC_9113}, section 6.8`,
    async run(bench) {
      const server = await bench.server((call) => {
        call.send('a')
        call.end()
      })
      const client = bench.client(server.url)
      const first = await unaryOutcome(client.unary({}))
      const [session] = server.sessions
      const gone = new Promise((resolve) => session?.once('close', resolve))
      session?.goaway(0)
      session?.close()
      await gone
      return [first, await unaryOutcome(client.unary({})), server.connections]
    },
    expected: [['a', 'ok'], ['a', 'ok'], 2],
  },
  {
    id: 'GOAWAY with an error, and the end of the connection',
    source: `${RFC_9113}, section 6.8; ${STATUS_CODES}`,
    run: (bench) =>
      Promise.all(
        [1, 2, 11].map(async (code) => {
          const server = await bench.wire((call) => {
            call.write(call.headers(GRPC_HEAD), call.data(texts('a')), goaway(call.stream, code))
            call.socket.end()
          })
          return outcomeOf(bench.client(server.url).serverStream({}))
        }),
      ),
    expected: Array.from({ length: 3 }, () => ['a', 'unavailable']),
    connectNode: {
      expected: Array.from({ length: 3 }, () => ['a', 'internal']),
      because: 'A connection that its server gives up is UNAVAILABLE: the next one may serve.',
    },
  },
  {
    id: 'GOAWAY that does not serve a stream any more',
    source: `${RFC_9113}, section 6.8 (it may be tried again)`,
    async run(bench) {
      const server = await bench.wire((call) => {
        call.write(goaway(0, 0))
        call.socket.end()
      })
      return unaryOutcome(bench.client(server.url).unary({}))
    },
    expected: ['unavailable'],
    connectNode: {
      expected: ['internal'],
      because: 'REFUSED_STREAM is UNAVAILABLE in the table of the document.',
    },
  },
  {
    id: 'a server that speaks HTTP/1',
    source: `${RFC_9113}, section 3.4`,
    async run(bench) {
      const server = await bench.wire(() => {}, {
        greeting: Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
      })
      return unaryOutcome(bench.client(server.url).unary({}))
    },
    expected: ['internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has nobody to hear it, and ends the process.',
    },
  },
  {
    id: 'a server that speaks TLS where plain text is due',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(bench) {
      const server = await bench.server(undefined, { tls: createSelfSignedCertificate() })
      return unaryOutcome(bench.client(server.url.replace('https:', 'http:')).unary({}))
    },
    expected: ['unavailable'],
    connectNode: {
      expected: ['canceled'],
      because:
        'What Node calls CANCEL when a connection is lost is no decision of the caller or of the server.',
    },
  },
  {
    id: 'SETTINGS that are none',
    source: `${RFC_9113}, section 6.5.2`,
    async run(bench) {
      const server = await bench.wire(() => {}, {
        greeting: frame(FRAME.settings, 0, 0, Buffer.from('000200000007', 'hex')),
      })
      return unaryOutcome(bench.client(server.url).unary({}))
    },
    expected: ['internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has nobody to hear it, and ends the process.',
    },
  },
  {
    id: 'a pushed response, although push was switched off',
    source: `${RFC_9113}, section 8.4`,
    run: (bench) =>
      after(bench, (call) => [
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
    connectNode: { notRun: true, because: 'It never comes to an end.' },
  },
  {
    id: 'a window that overflows',
    source: `${RFC_9113}, section 6.9.1`,
    run: (bench) => after(bench, () => [frame(FRAME.windowUpdate, 0, 0, uint32(0x7f_ff_ff_ff))]),
    expected: ['a', 'internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has nobody to hear it, and ends the process.',
    },
  },
  {
    id: 'an address that an interceptor changed to another host',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const client = bench.client(server.url, {
        interceptors: [
          (next) => (request) => next({ ...request, url: 'http://127.0.0.1:1/test.Echo/Unary' }),
        ],
      })
      return client.unary({}).catch(codeName)
    },
    expected: 'internal',
  },
]

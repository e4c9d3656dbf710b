/** Rules of successful responses: metadata, messages in any division into frames, the four kinds of methods. */
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, fieldBlock, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { create } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import type { Interceptor } from '@connectrpc/connect'
import { Echo } from '../echo-service.ts'
import type { Harness } from '../harness.ts'
import { outcomeOf, unaryOutcome } from '../outcome.ts'
import { CONNECT, PROTOCOL, RFC_9113, type Rule } from './rule.ts'

async function* list(...values: readonly string[]): AsyncGenerator<{ value: string }> {
  for (const value of values) yield { value }
}

const text = (value: string) => create(StringValueSchema, { value })

/** Starts Connect's own server, which returns the request. */
function echoServer(harness: Harness): Promise<string> {
  return harness.router((router) =>
    router.service(Echo, {
      unary: ({ value }) => text(value),
      async *serverStream({ value }) {
        for (const letter of value) yield text(letter)
      },
      async clientStream(input) {
        let all = ''
        for await (const { value } of input) all += value
        return text(all)
      },
      async *bidi(input) {
        for await (const { value } of input) yield text(`<${value}>`)
      },
    }),
  )
}

/** Returns the values of `onHeader` and `onTrailer` and the messages, in their order. */
async function metadata(
  harness: Harness,
  fields: Record<string, string | string[]>,
  names: readonly string[],
  interceptors: Interceptor[] = [],
): Promise<unknown> {
  const server = await harness.server((call) => {
    call.respond(fields)
    call.send('a')
    call.end(fields)
  })
  const seen: unknown[] = []
  const pick = (kind: string) => (headers: Headers) => {
    seen.push([kind, ...names.map((name) => headers.get(name))])
  }
  const options = { onHeader: pick('header'), onTrailer: pick('trailer') }
  const stream = harness.client(server.url, { interceptors }).serverStream({}, options)
  for await (const { value } of stream) seen.push(value)
  return seen
}

export const responseRules: readonly Rule[] = [
  {
    id: 'all four kinds of methods work',
    source: CONNECT,
    async run(harness) {
      const client = harness.client(await echoServer(harness))
      return {
        unary: await unaryOutcome(client.unary({ value: 'a' })),
        serverStream: await outcomeOf(client.serverStream({ value: 'abc' })),
        clientStream: await unaryOutcome(client.clientStream(list('a', 'b'))),
        bidi: await outcomeOf(client.bidi(list('a', 'b'))),
      }
    },
    expected: {
      unary: ['a', 'ok'],
      serverStream: ['a', 'b', 'c', 'ok'],
      clientStream: ['ab', 'ok'],
      bidi: ['<a>', '<b>', 'ok'],
    },
  },
  {
    id: 'a bidirectional call may send each message after the response to the previous one',
    source: PROTOCOL,
    async run(harness) {
      const client = harness.client(await echoServer(harness))
      let ask: ((value: string | undefined) => void) | undefined
      const requests = (async function* () {
        for (;;) {
          const value = await new Promise<string | undefined>((resolve) => {
            ask = resolve
          })
          if (value === undefined) return
          yield { value }
        }
      })()
      const responses = client.bidi(requests)
      const received: unknown[] = []
      for (const value of ['one', 'two', undefined]) {
        const next = responses.next()
        while (ask === undefined) await new Promise((resolve) => setImmediate(resolve))
        ask(value)
        ask = undefined
        received.push((await next).value?.value)
      }
      return received
    },
    expected: ['<one>', '<two>', undefined],
  },
  {
    id: 'simultaneous calls share one connection',
    source: PROTOCOL,
    async run(harness) {
      const server = await harness.server()
      const client = harness.client(server.url)
      const values = ['a', 'b', 'c', 'd', 'e']
      const all = values.map((value) => outcomeOf(client.serverStream({ value })))
      // The server responds in reverse order.
      const calls = await Promise.all(values.map(() => server.call()))
      for (const call of calls.reverse()) {
        call.write(await call.body)
        call.end()
      }
      return { outcomes: await Promise.all(all), connections: server.connections }
    },
    expected: { outcomes: ['a', 'b', 'c', 'd', 'e'].map((value) => [value, 'ok']), connections: 1 },
  },
  {
    id: 'calls above MAX_CONCURRENT_STREAMS wait for a free stream',
    source: `${RFC_9113}, section 5.1.2`,
    async run(harness) {
      const server = await harness.server(undefined, { maxConcurrentStreams: 1 })
      const client = harness.client(server.url)
      const respond = async () => {
        const call = await server.call()
        call.write(await call.body)
        call.end()
        return server.openStreams
      }
      // The client receives the limit with the first response.
      const first = outcomeOf(client.serverStream({ value: 'first' }))
      await respond()
      await first
      const all = ['a', 'b', 'c'].map((value) => outcomeOf(client.serverStream({ value })))
      const open = [await respond(), await respond(), await respond()]
      return { outcomes: await Promise.all(all), openStreams: open }
    },
    expected: {
      outcomes: [
        ['a', 'ok'],
        ['b', 'ok'],
        ['c', 'ok'],
      ],
      openStreams: [1, 1, 1],
    },
  },
  {
    id: 'onHeader is called before the messages, and onTrailer after them',
    source: CONNECT,
    run: async (harness) => {
      const through: Interceptor = (next) => (request) => next(request)
      return [
        await metadata(harness, { 'x-one': 'é' }, ['x-one', 'x-none']),
        await metadata(harness, { 'x-one': 'é' }, ['x-one', 'x-none'], [through]),
      ]
    },
    expected: Array.from({ length: 2 }, () => [['header', 'é', null], 'a', ['trailer', 'é', null]]),
  },
  {
    id: 'repeated header fields are joined in order',
    source: `${PROTOCOL}, Custom-Metadata`,
    run: (harness) =>
      metadata(harness, { 'x-list': ['a', 'b'], 'x-raw-bin': ['AAE', 'Ag'] }, ['x-list', 'x-raw-bin']),
    expected: [['header', 'a, b', 'AAE, Ag'], 'a', ['trailer', 'a, b', 'AAE, Ag']],
  },
  {
    id: 'an informational response before the response headers is ignored',
    source: `${RFC_9113}, section 8.1`,
    async run(harness) {
      const server = await harness.server((call) => {
        call.stream.additionalHeaders({ ':status': 103, 'x-early': '1' })
        call.send('a')
        call.end()
      })
      let early: string | null = ''
      const onHeader = (header: Headers) => {
        early = header.get('x-early')
      }
      return { outcome: await outcomeOf(harness.client(server.url).serverStream({}, { onHeader })), early }
    },
    expected: { outcome: ['a', 'ok'], early: null },
  },
  {
    id: 'DATA frames may cut messages anywhere, and have several messages',
    source: `${PROTOCOL}, Data frames`,
    async run(harness) {
      const bytes = texts('one', '', 'three')
      const server = await harness.wire((call) => {
        const single = [...bytes].map((byte) => call.data(Buffer.from([byte])))
        call.write(call.headers(GRPC_HEAD), ...single, call.data(bytes))
        call.write(call.headers({ 'grpc-status': '0' }, true))
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['one', '', 'three', 'one', '', 'three', 'ok'],
  },
  {
    id: 'a long message may span many frames',
    source: `${PROTOCOL}, Data frames`,
    async run(harness) {
      const server = await harness.server((call) => {
        call.send('x'.repeat(3_000_000), 'y')
        call.end()
      })
      const [long = '', ...rest] = await outcomeOf(harness.client(server.url).serverStream({}))
      return { length: long.length, rest }
    },
    expected: { length: 3_000_000, rest: ['y', 'ok'] },
  },
  {
    id: 'padded frames, empty frames and CONTINUATION are accepted',
    source: `${RFC_9113}, sections 6.1 and 6.10`,
    async run(harness) {
      const server = await harness.wire((call) => {
        const block = fieldBlock(GRPC_HEAD)
        const padded = Buffer.concat([Buffer.from([7]), texts('a'), Buffer.alloc(7)])
        call.write(
          frame(FRAME.headers, 0, call.stream, block.subarray(0, 10)),
          frame(FRAME.continuation, 0, call.stream, block.subarray(10, 20)),
          frame(FRAME.continuation, 4, call.stream, block.subarray(20)),
          call.data(Buffer.alloc(0)),
          frame(FRAME.data, 8, call.stream, padded),
          call.data(Buffer.alloc(0)),
          call.headers({ 'grpc-status': '0' }, true),
        )
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['a', 'ok'],
  },
  {
    id: 'a frame of an unknown type is ignored',
    source: `${RFC_9113}, section 5.5`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(
          frame(0x77, 0xff, 0, Buffer.from('unknown')),
          call.headers(GRPC_HEAD),
          frame(0x78, 0, call.stream, Buffer.from('unknown')),
          call.data(texts('a')),
          call.headers({ 'grpc-status': '0' }, true),
        )
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['a', 'ok'],
  },
  {
    id: 'response headers with 5,000 fields are an error',
    source: 'node:http2, maxHeaderListPairs (128)',
    async run(harness) {
      const server = await harness.wire((call) => {
        const fields = Array.from({ length: 5000 }, (_, index) => [`x${index}`, 'y'])
        const block = fieldBlock({ ...GRPC_HEAD, ...Object.fromEntries(fields) })
        const parts = Array.from({ length: Math.ceil(block.length / 16_000) }, (_, index) =>
          block.subarray(index * 16_000, (index + 1) * 16_000),
        )
        call.write(
          ...parts.map((part, index) =>
            frame(
              index === 0 ? FRAME.headers : FRAME.continuation,
              index === parts.length - 1 ? 4 : 0,
              call.stream,
              part,
            ),
          ),
        )
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['resource_exhausted'],
    connectNode: {
      notRun: true,
      because:
        '`internal`. Node 20 aborts the process if the garbage collector frees the session before the stream.',
    },
  },
  {
    id: 'a complete response before the end of the request is delivered',
    source: `${RFC_9113}, section 8.1`,
    async run(harness) {
      const server = await harness.server((call) => {
        call.send('early')
        call.end()
      })
      let isClosed = false
      const input = {
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise<IteratorResult<{ value: string }>>(() => {}),
          return: async () => {
            isClosed = true
            return { done: true as const, value: undefined }
          },
        }),
      }
      const outcome = await outcomeOf(harness.client(server.url).bidi(input))
      while (!isClosed) await new Promise((resolve) => setImmediate(resolve))
      return { outcome, isClosed }
    },
    expected: { outcome: ['early', 'ok'], isClosed: true },
    connectNode: {
      expected: { outcome: ['internal'], isClosed: true },
      because: 'It handles the end of the stream as a failure, and loses the message before it.',
    },
  },
  {
    id: 'RST_STREAM with NO_ERROR after a complete response is ignored',
    source: `${RFC_9113}, section 8.1`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(
          call.headers(GRPC_HEAD),
          call.data(texts('a')),
          call.headers({ 'grpc-status': '0' }, true),
          frame(FRAME.reset, 0, call.stream, Buffer.alloc(4)),
        )
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['a', 'ok'],
  },
]

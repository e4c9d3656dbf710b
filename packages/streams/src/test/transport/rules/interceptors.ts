/** Connect's contract with interceptors: what they see, what they may change, and what their failures do. */

import type { Handler } from '@brokerwire/testing/http2-server'
import { create, isMessage } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import {
  Code,
  ConnectError,
  createContextKey,
  createContextValues,
  type Interceptor,
  type StreamResponse,
} from '@connectrpc/connect'
import type { Bench } from '../bench.ts'
import { Echo } from '../echo-service.ts'
import { codeName, errorOf, outcomeOf, unaryOutcome } from '../outcome.ts'
import { CONNECT, PROTOCOL, type Rule } from './rule.ts'

/** Sends back what it got. */
const echo: Handler = async (call) => {
  const body = await call.body
  call.respond({ 'x-head': 'h' })
  call.write(body)
  call.end({ 'x-trail': 't' })
}

/** Runs one stream and one unary call through interceptors. */
async function both(bench: Bench, ...interceptors: Interceptor[]): Promise<unknown> {
  const server = await bench.server(echo)
  const client = bench.client(server.url, { interceptors })
  return [
    await outcomeOf(client.serverStream({ value: 'a' })),
    await unaryOutcome(client.unary({ value: 'a' })),
  ]
}

async function* mapped<T>(messages: AsyncIterable<T>, change: (message: T) => T): AsyncGenerator<T> {
  for await (const message of messages) yield change(message)
}

export const interceptorRules: readonly Rule[] = [
  {
    id: 'the first interceptor is the outermost',
    source: `${CONNECT}, Interceptor`,
    async run(bench) {
      const order: string[] = []
      const named =
        (name: string): Interceptor =>
        (next) =>
        async (request) => {
          order.push(`${name} in`)
          const response = await next(request)
          order.push(`${name} out`)
          return response
        }
      await both(bench, named('first'), named('second'))
      return order
    },
    expected: [...Array(2)].flatMap(() => ['first in', 'second in', 'second out', 'first out']),
  },
  {
    id: 'what an interceptor sees',
    source: `${CONNECT}, UnaryRequest and StreamRequest`,
    async run(bench) {
      const key = createContextKey('none')
      const contextValues = createContextValues().set(key, 'mine')
      const seen: unknown[] = []
      const look: Interceptor = (next) => (request) => {
        const { stream, service, method, requestMethod, url, header, signal } = request
        seen.push([
          stream,
          service === Echo,
          method === Echo.method.serverStream || method === Echo.method.unary,
          requestMethod,
          new URL(url).pathname,
          header.get('x-mine'),
          header.get('content-type'),
          signal.aborted,
          request.contextValues.get(key),
        ])
        return next(request)
      }
      const server = await bench.server(echo)
      const client = bench.client(server.url, { interceptors: [look] })
      const options = { contextValues, headers: { 'x-mine': '1' } }
      await outcomeOf(client.serverStream({}, options))
      await client.unary({}, options)
      return seen
    },
    expected: [
      [true, true, true, 'POST', '/test.Echo/ServerStream', '1', 'application/grpc+proto', false, 'mine'],
      [false, true, true, 'POST', '/test.Echo/Unary', '1', 'application/grpc+proto', false, 'mine'],
    ],
  },
  {
    id: 'an interceptor sees whole messages, not the parts that the caller gave',
    source: CONNECT,
    async run(bench) {
      const whole: boolean[] = []
      const look: Interceptor = (next) => (request) => {
        if (!request.stream) {
          whole.push(isMessage(request.message, StringValueSchema))
          return next(request)
        }
        const message = mapped(request.message, (one) => {
          whole.push(isMessage(one, StringValueSchema))
          return one
        })
        return next({ ...request, message })
      }
      await both(bench, look)
      return whole
    },
    expected: [true, true],
  },
  {
    id: 'headers that an interceptor sets are sent',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const set: Interceptor = (next) => (request) => {
        request.header.set('x-mine', '2')
        request.header.delete('x-other')
        return next(request)
      }
      const client = bench.client(server.url, { interceptors: [set] })
      const ended = client.unary({}, { headers: { 'x-mine': '1', 'x-other': '1' } })
      const call = await server.call()
      call.send('')
      call.end()
      await ended
      return [call.headers['x-mine'], call.headers['x-other']]
    },
    expected: ['2', undefined],
  },
  {
    id: 'messages that an interceptor changes, both ways',
    source: CONNECT,
    run: (bench) =>
      both(bench, (next) => async (request) => {
        const change =
          (mark: string) =>
          <T>(message: T): T => {
            const { value } = message as { value: string }
            return create(StringValueSchema, { value: value + mark }) as T
          }
        if (request.stream) {
          const response = (await next({
            ...request,
            message: mapped(request.message, change('>')),
          })) as StreamResponse
          return { ...response, message: mapped(response.message, change('<')) }
        }
        const response = await next({ ...request, message: change('>')(request.message) })
        return response.stream ? response : { ...response, message: change('<')(response.message) }
      }),
    expected: [
      ['a><', 'ok'],
      ['a><', 'ok'],
    ],
  },
  {
    id: 'header and trailers of the response: trailers once the messages are read',
    source: CONNECT,
    async run(bench) {
      const seen: unknown[] = []
      const look: Interceptor = (next) => async (request) => {
        const response = await next(request)
        seen.push(response.header.get('x-head'))
        if (!response.stream) {
          seen.push(response.trailer.get('x-trail'))
          return response
        }
        const all = (async function* () {
          yield* response.message
          seen.push(response.trailer.get('x-trail'))
        })()
        return { ...response, message: all }
      }
      await both(bench, look)
      return seen
    },
    expected: ['h', 't', 'h', 't'],
  },
  {
    id: 'an interceptor that throws: nothing is sent',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const failing = (error: unknown) =>
        bench.client(server.url, {
          interceptors: [
            () => () => {
              throw error
            },
          ],
        })
      const plain = failing(new Error('mine'))
      const coded = failing(new ConnectError('mine', Code.DataLoss))
      const errors = [
        await errorOf(plain.unary({})),
        await errorOf(plain.serverStream({})),
        await errorOf(coded.serverStream({})),
      ]
      return [errors.map((error) => [codeName(error), error.rawMessage]), server.connections]
    },
    expected: [
      [
        ['unknown', 'mine'],
        ['unknown', 'mine'],
        ['data_loss', 'mine'],
      ],
      0,
    ],
  },
  {
    id: 'an interceptor that throws while messages come: the call is canceled',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const failing: Interceptor = (next) => async (request) => {
        const response = (await next(request)) as StreamResponse
        const message = mapped(response.message, () => {
          throw new Error('mine')
        })
        return { ...response, message }
      }
      const ended = outcomeOf(bench.client(server.url, { interceptors: [failing] }).serverStream({}))
      const call = await server.call()
      call.send('a')
      return [await ended, (await call.closed) !== 0]
    },
    expected: [['unknown'], true],
  },
  {
    id: 'leaving the loop where an interceptor passes each message on',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(bench) {
      const server = await bench.server()
      const passing: Interceptor = (next) => async (request) => {
        const response = (await next(request)) as StreamResponse
        return { ...response, message: mapped(response.message, (message) => message) }
      }
      const stream = bench.client(server.url, { interceptors: [passing] }).serverStream({})
      const call = await server.call()
      call.send('a', 'b', 'c')
      for await (const { value } of stream) if (value === 'b') break
      return [await call.closed, await outcomeOf(stream)]
    },
    expected: [8, ['ok']],
  },
  {
    id: 'an interceptor that answers by itself: nothing is sent',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const answer: Interceptor = () => async (request) => {
        const own = { service: request.service, header: new Headers(), trailer: new Headers() }
        const message = create(StringValueSchema, { value: 'own' })
        if (!request.stream) return { ...own, stream: false, method: request.method, message }
        const all = (async function* () {
          yield message
        })()
        return { ...own, stream: true, method: request.method, message: all }
      }
      const client = bench.client(server.url, { interceptors: [answer] })
      return [
        await unaryOutcome(client.unary({})),
        await outcomeOf(client.serverStream({})),
        server.connections,
      ]
    },
    expected: [['own', 'ok'], ['own', 'ok'], 0],
  },
  {
    id: 'an interceptor may try again',
    source: CONNECT,
    async run(bench) {
      let calls = 0
      const server = await bench.server((call) => {
        calls++
        if (calls === 1) call.trailersOnly({ 'grpc-status': 14 })
        else {
          call.send('b')
          call.end()
        }
      })
      const again: Interceptor = (next) => async (request) => {
        try {
          return await next(request)
        } catch {
          return next(request)
        }
      }
      return unaryOutcome(bench.client(server.url, { interceptors: [again] }).unary({}))
    },
    expected: ['b', 'ok'],
  },
  {
    id: "the interceptor's signal is aborted once the call is over",
    source: CONNECT,
    async run(bench) {
      const signals: AbortSignal[] = []
      await both(bench, (next) => (request) => {
        signals.push(request.signal)
        return next(request)
      })
      return signals.map(({ aborted }) => aborted)
    },
    expected: [true, true],
  },
  {
    id: 'a deadline reaches an interceptor that waits',
    source: `${CONNECT}; ${PROTOCOL}, Timeout`,
    async run(bench) {
      const server = await bench.server()
      const waiting: Interceptor = () => (request) =>
        new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => reject(new Error('woken')))
        })
      const client = bench.client(server.url, { interceptors: [waiting] })
      return unaryOutcome(client.unary({}, { timeoutMs: 10 }))
    },
    expected: ['deadline_exceeded'],
  },
]

/** Rules of Connect's interceptors: what they receive, what they may change, and what their errors do. */
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
import { Echo } from '../echo-service.ts'
import type { Harness } from '../harness.ts'
import { codeName, errorOf, outcomeOf, unaryOutcome } from '../outcome.ts'
import { CONNECT, PROTOCOL, type Rule } from './rule.ts'

/** Returns the body of the request. */
const echo: Handler = async (call) => {
  const body = await call.body
  call.respond({ 'x-head': 'h' })
  call.write(body)
  call.end({ 'x-trail': 't' })
}

/** Runs one stream and one unary call through interceptors. */
async function both(harness: Harness, ...interceptors: Interceptor[]): Promise<unknown> {
  const server = await harness.server(echo)
  const client = harness.client(server.url, { interceptors })
  return {
    stream: await outcomeOf(client.serverStream({ value: 'a' })),
    unary: await unaryOutcome(client.unary({ value: 'a' })),
  }
}

async function* mapped<T>(messages: AsyncIterable<T>, change: (message: T) => T): AsyncGenerator<T> {
  for await (const message of messages) yield change(message)
}

export const interceptorRules: readonly Rule[] = [
  {
    id: 'the first interceptor is the outermost',
    source: `${CONNECT}, Interceptor`,
    async run(harness) {
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
      await both(harness, named('first'), named('second'))
      return order
    },
    expected: [...Array(2)].flatMap(() => ['first in', 'second in', 'second out', 'first out']),
  },
  {
    id: 'an interceptor receives the properties of the request',
    source: `${CONNECT}, UnaryRequest and StreamRequest`,
    async run(harness) {
      const key = createContextKey('none')
      const contextValues = createContextValues().set(key, 'mine')
      const seen: unknown[] = []
      const look: Interceptor = (next) => (request) => {
        const { stream, service, method, requestMethod, url, header, signal } = request
        seen.push({
          stream,
          isEcho: service === Echo,
          isMethod: method === Echo.method.serverStream || method === Echo.method.unary,
          requestMethod,
          path: new URL(url).pathname,
          header: header.get('x-mine'),
          contentType: header.get('content-type'),
          aborted: signal.aborted,
          contextValue: request.contextValues.get(key),
        })
        return next(request)
      }
      const server = await harness.server(echo)
      const client = harness.client(server.url, { interceptors: [look] })
      const options = { contextValues, headers: { 'x-mine': '1' } }
      await outcomeOf(client.serverStream({}, options))
      await client.unary({}, options)
      return seen
    },
    expected: [
      { stream: true, path: '/test.Echo/ServerStream' },
      { stream: false, path: '/test.Echo/Unary' },
    ].map((call) => ({
      ...call,
      isEcho: true,
      isMethod: true,
      requestMethod: 'POST',
      header: '1',
      contentType: 'application/grpc+proto',
      aborted: false,
      contextValue: 'mine',
    })),
  },
  {
    id: 'an interceptor receives complete messages, also if the caller passed partial ones',
    source: CONNECT,
    async run(harness) {
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
      await both(harness, look)
      return whole
    },
    expected: [true, true],
  },
  {
    id: 'headers that an interceptor sets are sent',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const set: Interceptor = (next) => (request) => {
        request.header.set('x-mine', '2')
        request.header.delete('x-other')
        return next(request)
      }
      const client = harness.client(server.url, { interceptors: [set] })
      const ended = client.unary({}, { headers: { 'x-mine': '1', 'x-other': '1' } })
      const call = await server.call()
      call.send('')
      call.end()
      await ended
      return { mine: call.headers['x-mine'], other: call.headers['x-other'] }
    },
    expected: { mine: '2', other: undefined },
  },
  {
    id: 'an interceptor may change messages in both directions',
    source: CONNECT,
    run: (harness) =>
      both(harness, (next) => async (request) => {
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
    expected: { stream: ['a><', 'ok'], unary: ['a><', 'ok'] },
  },
  {
    id: 'an interceptor receives the response headers, and the trailers after the messages',
    source: CONNECT,
    async run(harness) {
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
      await both(harness, look)
      return seen
    },
    expected: ['h', 't', 'h', 't'],
  },
  {
    id: 'nothing is sent if an interceptor throws',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const failing = (error: unknown) =>
        harness.client(server.url, {
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
      return {
        errors: errors.map((error) => ({ code: codeName(error), message: error.rawMessage })),
        connections: server.connections,
      }
    },
    expected: {
      errors: [
        { code: 'unknown', message: 'mine' },
        { code: 'unknown', message: 'mine' },
        { code: 'data_loss', message: 'mine' },
      ],
      connections: 0,
    },
  },
  {
    id: 'the call is cancelled if an interceptor throws while messages arrive',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const failing: Interceptor = (next) => async (request) => {
        const response = (await next(request)) as StreamResponse
        const message = mapped(response.message, () => {
          throw new Error('mine')
        })
        return { ...response, message }
      }
      const ended = outcomeOf(harness.client(server.url, { interceptors: [failing] }).serverStream({}))
      const call = await server.call()
      call.send('a')
      return { outcome: await ended, isReset: (await call.closed) !== 0 }
    },
    expected: { outcome: ['unknown'], isReset: true },
  },
  {
    id: 'a break in the loop cancels the call if an interceptor passes each message on',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(harness) {
      const server = await harness.server()
      const passing: Interceptor = (next) => async (request) => {
        const response = (await next(request)) as StreamResponse
        return { ...response, message: mapped(response.message, (message) => message) }
      }
      const stream = harness.client(server.url, { interceptors: [passing] }).serverStream({})
      const call = await server.call()
      call.send('a', 'b', 'c')
      for await (const { value } of stream) if (value === 'b') break
      return { resetCode: await call.closed, nextRead: await outcomeOf(stream) }
    },
    expected: { resetCode: 8, nextRead: ['ok'] },
  },
  {
    id: 'nothing is sent if an interceptor returns a response itself',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const answer: Interceptor = () => async (request) => {
        const base = { service: request.service, header: new Headers(), trailer: new Headers() }
        const message = create(StringValueSchema, { value: 'own' })
        if (!request.stream) return { ...base, stream: false, method: request.method, message }
        const all = (async function* () {
          yield message
        })()
        return { ...base, stream: true, method: request.method, message: all }
      }
      const client = harness.client(server.url, { interceptors: [answer] })
      return {
        unary: await unaryOutcome(client.unary({})),
        stream: await outcomeOf(client.serverStream({})),
        connections: server.connections,
      }
    },
    expected: { unary: ['own', 'ok'], stream: ['own', 'ok'], connections: 0 },
  },
  {
    id: 'an interceptor may retry a call',
    source: CONNECT,
    async run(harness) {
      let calls = 0
      const server = await harness.server((call) => {
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
      return unaryOutcome(harness.client(server.url, { interceptors: [again] }).unary({}))
    },
    expected: ['b', 'ok'],
  },
  {
    id: 'the signal of the request is aborted after the call',
    source: CONNECT,
    async run(harness) {
      const signals: AbortSignal[] = []
      await both(harness, (next) => (request) => {
        signals.push(request.signal)
        return next(request)
      })
      return signals.map(({ aborted }) => aborted)
    },
    expected: [true, true],
  },
  {
    id: 'a deadline aborts the signal of an interceptor that waits',
    source: `${CONNECT}; ${PROTOCOL}, Timeout`,
    async run(harness) {
      const server = await harness.server()
      const waiting: Interceptor = () => (request) =>
        new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => reject(new Error('woken')))
        })
      const client = harness.client(server.url, { interceptors: [waiting] })
      return unaryOutcome(client.unary({}, { timeoutMs: 10 }))
    },
    expected: ['deadline_exceeded'],
  },
]

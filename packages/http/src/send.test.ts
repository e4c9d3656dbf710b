/** The third stage on plain values: the result of one call of `fetch`. */
import type { FetchInit } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { readClientOptions } from './client-options.ts'
import { normalize } from './normalize.ts'
import { type SendResult, send } from './send.ts'
import { rejection, testOptions } from './test/fixtures.ts'

const signed = {
  url: 'https://h.example/x?a=1',
  headers: { 'x-signature': 'signature' },
  providedToken: undefined,
  clockOffsetMs: undefined,
  redact: (text: string) => text,
}
const clock = createVirtualClock()

function start(fetch: (url: string, init: FetchInit) => Promise<unknown>, signal?: AbortSignal) {
  const options = testOptions('https://h.example', { fetch: fetch as never, clock })
  const settings = readClientOptions({ ...options, timeoutMs: 1000, maxResponseBytes: 10 })
  const request = normalize({ method: 'POST', path: '/x', body: 'sent', signal }, settings)
  return send(settings, request, signed)
}

const failed = (properties: object): never => {
  throw Object.assign(new TypeError('failed'), properties)
}
const broken = (code: string): ReadableStream =>
  new ReadableStream({ pull: (controller) => controller.error(Object.assign(new Error('broken'), { code })) })
const headers = expect.objectContaining({ get: expect.any(Function) })
const response = (status: number, text?: string) => ({
  type: 'response',
  status,
  headers,
  bytes: text === undefined ? undefined : new TextEncoder().encode(text),
  isCutOff: false,
  sentOnce: false,
})
const failure = (reason: object, phase: 'headers' | 'body') => ({
  type: 'failure',
  reason,
  head: phase === 'body' ? response(200) : undefined,
  sentOnce: false,
})
/** A body of these chunks, which are all available at once. */
const chunked = (chunks: readonly Uint8Array[]): unknown => {
  const values = chunks.values()
  const read = async () => {
    const { done = false, value } = values.next()
    return { done, value }
  }
  return {
    status: 200,
    headers: new Headers(),
    body: { getReader: () => ({ read, cancel: async () => {} }) },
  }
}
/** A body whose reader fails, and whose `cancel` throws instead of rejecting. */
const throwing = {
  getReader: () => ({
    read: () => Promise.reject(Object.assign(new Error('broken'), { code: 'ECONNRESET' })),
    cancel: () => failed({ code: 'ECANCEL' }),
  }),
}
const EMPTY = new Uint8Array()
const ONE = Uint8Array.of(0x30)

const table: Readonly<Record<string, readonly [() => unknown, object]>> = {
  'a success': [() => new Response('0123456789'), response(200, '0123456789')],
  'no body': [() => new Response(null, { status: 204 }), response(204)],
  'an error status': [() => new Response('no', { status: 417 }), response(417, 'no')],
  'a redirect, whose body is not read': [
    () => new Response('no', { status: 302, headers: { location: '/y' } }),
    response(302),
  ],
  'a redirect whose body cannot be cancelled': [
    () => ({ status: 302, headers: new Headers({ location: '/y' }), body: throwing }),
    response(302),
  ],
  'a status 3xx without Location': [() => new Response('no', { status: 300 }), response(300, 'no')],
  'a body that breaks off and cannot be cancelled': [
    () => ({ status: 200, headers: new Headers(), body: throwing }),
    failure({ type: 'connection-lost', code: 'ECONNRESET' }, 'body'),
  ],
  'a body with an empty chunk now and then': [
    () => chunked([...Array(900).fill(EMPTY), ONE, ...Array(101).fill(EMPTY), ONE]),
    response(200, '00'),
  ],
  'a body of empty chunks': [
    () => chunked(Array(2000).fill(EMPTY)),
    failure({ type: 'connection-lost', code: 'EMPTY_CHUNKS' }, 'body'),
  ],
  'a body that is too long': [() => new Response('01234567890'), failure({ type: 'too-large' }, 'body')],
  'an error status whose body is too long': [
    () => new Response('01234567890', { status: 502 }),
    response(502),
  ],
  'a body that breaks off': [
    () => new Response(broken('ECONNRESET')),
    failure({ type: 'connection-lost', code: 'ECONNRESET' }, 'body'),
  ],
  'an error status whose body breaks off': [
    () => new Response(broken('ECONNRESET'), { status: 503 }),
    { ...response(503), isCutOff: true },
  ],
  'a connection that was refused': [
    () => failed({ code: 'ECONNREFUSED', syscall: 'connect' }),
    failure({ type: 'not-sent', code: 'ECONNREFUSED', isPermanent: false }, 'headers'),
  ],
  'a connection that was lost': [
    () => failed({ code: 'ECONNRESET', syscall: 'read' }),
    failure({ type: 'connection-lost', code: 'ECONNRESET' }, 'headers'),
  ],
  'no response at all': [() => undefined, failure({ type: 'connection-lost', code: 'TypeError' }, 'headers')],
}
test.each(Object.entries(table))('%s', async (_, [respond, expected]) => {
  expect(await start(async () => respond())).toEqual(expected)
})

test('exactly the signed URL, headers and bytes are sent', async () => {
  const calls: [string, FetchInit][] = []
  await start(async (...call) => {
    calls.push(call)
    return new Response()
  })
  expect(calls).toMatchObject([
    [
      signed.url,
      { method: 'POST', headers: signed.headers, redirect: 'manual', body: expect.any(Uint8Array) },
    ],
  ])
  expect(new TextDecoder().decode(calls[0]?.[1].body)).toBe('sent')
})

test.each<[string, () => Promise<unknown>, number | undefined]>([
  ['headers', () => new Promise(() => {}), undefined],
  ['a body', async () => new Response(new ReadableStream()), 200],
])('%s that never arrive end at the time limit', async (_, fetch, status) => {
  let sent: SendResult | undefined
  const ended = start(fetch).then((result) => {
    sent = result
  })
  await clock.advance(999)
  expect(sent).toBeUndefined()
  await clock.advance(1)
  await ended
  expect(sent).toMatchObject({ reason: { type: 'timeout', hostLimit: undefined } })
  expect(sent?.type === 'failure' && sent.head?.status).toBe(status)
})

test('an abort rejects with its reason, also if fetch ignores its signal', async () => {
  const controller = new AbortController()
  const ended = rejection(start(() => new Promise(() => {}), controller.signal))
  controller.abort('enough')
  expect(await ended).toBe('enough')
})

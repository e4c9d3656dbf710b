/** Work that a request avoids: copies of a body in one chunk, more than one listener, bodies that are not read. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { createHttpClient } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'

const URL = 'https://service.example'
const GET = { method: 'GET', path: '/x' } as const

const answer = (pieces: readonly Uint8Array[], onCancel: () => void = () => {}) => {
  const left = [...pieces]
  const reader = {
    read: async () => {
      const value = left.shift()
      return value === undefined ? { done: true } : { done: false, value }
    },
    cancel: async () => onCancel(),
  }
  return { status: 200, headers: new Headers(), body: { getReader: () => reader } }
}

test('a body that arrives in one chunk is not copied, unless the chunk is part of a larger buffer', async () => {
  const bytesOf = async (...pieces: readonly Uint8Array[]): Promise<Uint8Array> =>
    (await createHttpClient(testOptions(URL, { fetch: async () => answer(pieces) })).request(GET)).bytes
  const whole = new TextEncoder().encode('{"ok":true}').slice()
  const shared = new Uint8Array([9, 9, ...whole, 9]).subarray(2, -1)
  expect(await bytesOf(whole)).toBe(whole)
  const copied = await bytesOf(shared)
  expect(copied).toEqual(whole)
  expect(copied.buffer.byteLength).toBe(whole.length)
  expect(await bytesOf(whole.subarray(0, 4), whole.subarray(4))).toEqual(whole)
})

test('a request has one listener on the signal of its caller, and removes it', async () => {
  const { signal } = new AbortController()
  let added = 0
  let active = 0
  const counting = {
    aborted: false,
    addEventListener(_type: 'abort', listener: () => void) {
      added += 1
      active += 1
      signal.addEventListener('abort', listener)
    },
    removeEventListener(_type: 'abort', listener: () => void) {
      active -= 1
      signal.removeEventListener('abort', listener)
    },
  }
  const fetch = async () => answer([new Uint8Array(2)])
  const beforeAttempt = async (): Promise<void> => {}
  const client = createHttpClient(testOptions(URL, { fetch }))
  await client.request({ ...GET, signal: counting, beforeAttempt })
  expect(added).toBe(1)
  expect(active).toBe(0)
})

test('the body of a late response is cancelled if a fetch ignores its signal', async () => {
  const clock = createVirtualClock()
  let arrive: () => void = () => {}
  let cancelled = 0
  const late = answer([new Uint8Array(2)], () => {
    cancelled += 1
  })
  let begun: () => void = () => {}
  const asked = new Promise<void>((resolve) => {
    begun = resolve
  })
  const fetch = () => {
    begun()
    return new Promise<typeof late>((resolve) => {
      arrive = () => resolve(late)
    })
  }
  const client = createHttpClient(testOptions(URL, { fetch, clock, maxRetries: 0, timeoutMs: 1000 }))
  const ended = rejection(client.request(GET))
  await asked
  await clock.advance(1000)
  expect(await ended).toMatchObject({ code: 'HTTP_TIMEOUT', details: { phase: 'headers' } })
  arrive()
  await expect.poll(() => cancelled).toBe(1)
})

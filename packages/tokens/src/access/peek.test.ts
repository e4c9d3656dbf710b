/** `peek()`: reads the stored token and makes no call. Streams use it. */
import { expect, test } from 'vitest'
import { DAY_MS, KEY, setUp, verified } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'

const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

test('without a stored token it returns undefined and creates nothing', async () => {
  const { clock, service, store, open } = setUp('sandbox')
  expect(await open().peek()).toBeUndefined()
  expect(service.calls).toEqual([])
  expect(store.writes).toBe(0)
  expect(clock.pendingTimers).toBe(0)
})

test('a pending token is not returned and not checked', async () => {
  const { clock, service, open } = setUp()
  const waiting = open()
  await caught(waiting.get({ wait: false }))
  await clock.advance(60_000)
  const calls = service.calls.length
  expect(await open().peek()).toBeUndefined()
  expect(service.calls).toHaveLength(calls)
})

test('a usable token is returned, also one that another process has stored since', async () => {
  const { clock, service, open, tokens } = await verified()
  const other = open()
  expect((await other.peek())?.token.reveal()).toBe('secret-token-1')
  await clock.advance(300_000)
  const renewToken = tokens.renew()
  await clock.settle()
  expect((await other.peek())?.token.reveal()).toBe('secret-token-1')
  service.approve()
  await clock.advance(10_000)
  await renewToken
  const calls = service.calls.length
  const peeked = await other.peek()
  expect(peeked?.token.reveal()).toBe('secret-token-2')
  expect(peeked?.expiresAtMs).toBe(service.last().expiresAtMs)
  expect(service.calls).toHaveLength(calls)
})

test('an expired token is not returned and stays stored', async () => {
  const { clock, service, store, tokens } = await verified()
  const calls = service.calls.length
  await clock.advance(15 * DAY_MS)
  expect(await tokens.peek()).toBeUndefined()
  expect(store.entries.get(KEY)).toContain('secret-token-1')
  expect(service.calls).toHaveLength(calls)
})

test('if the service requires no token it returns undefined', async () => {
  const { open } = await verified()
  expect(await open({ tokenMode: 'none' }).peek()).toBeUndefined()
})

test('a failing store, a malformed record and a closed object have their errors', async () => {
  const { store, tokens } = await verified()
  store.failures.push('get')
  expect(isTokensError(await caught(tokens.peek()), 'TOKEN_STORE_FAILED')).toBe(true)
  store.entries.set(KEY, '{')
  expect(isTokensError(await caught(tokens.peek()), 'TOKEN_RECORD_INVALID')).toBe(true)
  await tokens.close()
  expect(isTokensError(await caught(tokens.peek()), 'TOKEN_CLOSED')).toBe(true)
})

import { Secret } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import type { TokenCallEnd } from '../observer.ts'
import { failure } from '../test/service.ts'
import { KEY, outcome, setUp } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'

describe('tokenMode', () => {
  test('none needs no token and makes no call', async () => {
    const { service, open } = setUp()
    const tokens = open({ tokenMode: 'none' })
    expect(await tokens.get()).toBeUndefined()
    expect(await tokens.renew()).toBeUndefined()
    expect(service.calls).toEqual([])
  })

  test('auto asks the service once, and again after a failure', async () => {
    const { clock, service, open } = setUp('sandbox')
    let answers = 0
    const config: NonNullable<typeof service.endpoints.config> = async (callOptions) => {
      answers += 1
      return answers === 1
        ? failure('no-response')
        : (service.endpoints.config?.(callOptions) ?? failure('not-sent'))
    }
    const tokens = open({ tokenMode: 'auto', endpoints: { ...service.endpoints, config } })
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.call).toBe('config')
    expect(await Promise.all([tokens.get(), tokens.get(), tokens.get()])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await tokens.get()).toBeUndefined()
    expect(service.count('config')).toBe(1)
  })
})

test('close() ends waits with TOKEN_CLOSED and saves a create that was sent', async () => {
  const { clock, store, service, open } = setUp()
  service.delayMs = 1000
  const tokens = open()
  const got = outcome(clock, tokens.get())
  await clock.settle()
  const disposed = tokens.close()
  expect(isTokensError(await got, 'TOKEN_CLOSED')).toBe(true)
  await disposed
  expect(store.entries.get(KEY)).toContain('secret-token-1')
  expect(isTokensError(await outcome(clock, tokens.get()), 'TOKEN_CLOSED')).toBe(true)
  expect(clock.pendingTimers).toBe(0)
})

test('close() names the call that it aborted', async () => {
  const { clock, open } = setUp()
  const tokens = open()
  await outcome(clock, tokens.get({ wait: false }))
  const renewed = outcome(clock, tokens.renew())
  const got = outcome(clock, tokens.get())
  await clock.settle()
  await tokens.close()
  for (const [error, operation] of [
    [await renewed, 'renew'],
    [await got, 'get'],
  ] as const)
    expect(error).toMatchObject({
      code: 'TOKEN_CLOSED',
      message: `${operation}() was aborted by close() or called after it. Create the access tokens again`,
      details: { operation },
    })
})

test('close() between two steps starts no further poll', async () => {
  const { clock, store, service, open } = setUp()
  await outcome(clock, open().get({ wait: false }))
  let disposed: Promise<void> | undefined
  const tokens = open({
    store: {
      ...store,
      // close() is called during the first read, before the poll of the pending token begins.
      get(key) {
        disposed ??= tokens.close()
        return store.get(key)
      },
    },
  })
  const got = tokens.get().catch((error: unknown) => error)
  await clock.settle()
  await disposed
  expect(clock.pendingTimers).toBe(0)
  expect(isTokensError(await got, 'TOKEN_CLOSED')).toBe(true)
  expect(service.count('check')).toBe(0)
})

test('the observer receives every call and every difference of a response from the documents', async () => {
  const { clock, service, open } = setUp('sandbox')
  const issue = { field: 'expires_at', expected: 'the name expires_at', received: 'expires' }
  service.next.create.push({
    ok: true,
    value: { token: new Secret('secret-new'), status: 'NORMAL', expiresAtMs: undefined, issues: [issue] },
  })
  const calls: TokenCallEnd[] = []
  const issues: unknown[] = []
  const config = async () => ({ ok: true as const, value: { tokenCheckEnabled: true } })
  const observer = {
    onTokenCall: (end: TokenCallEnd) => calls.push(end),
    onTokenResponseIssue: (report: unknown) => issues.push(report),
  }
  const tokens = open({
    tokenMode: 'auto',
    endpoints: { ...service.endpoints, config },
    observer,
    clientId: 'main',
  })
  await outcome(clock, tokens.get())
  const success = {
    clientId: 'main',
    durationMs: expect.any(Number),
    failure: undefined,
    status: undefined,
    error: undefined,
  }
  expect(calls).toEqual([
    { call: 'config', ...success },
    { call: 'create', ...success },
  ])
  expect(issues).toEqual([{ clientId: 'main', call: 'create', issue }])
})

import { Secret } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { createTokenRateLimiter } from '../limiter/rate-limiter.ts'
import { createTestService } from '../test/service.ts'
import { createAccessTokens } from './access-tokens.ts'
import { decideGet } from './decision.ts'
import type { StoredAccessToken } from './record.ts'

const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }

test.each([
  ['options', null],
  ['endpoints', { endpoints: undefined }],
  ['endpoints.check', { endpoints: { create: () => {} } }],
  ['store', { store: undefined }],
  ['store.get', { store: {} }],
  ['store.compareAndSet', { store: { get: () => {} } }],
  ['identity', { identity: undefined }],
  ['identity.environment', { identity: { ...identity, environment: 5 } }],
  ['identity.appKey', { identity: { ...identity, appKey: 'a b' } }],
  ['tokenMode', { tokenMode: 'sometimes' }],
  ['endpoints.config', { tokenMode: 'auto', endpoints: { create: () => {}, check: () => {} } }],
  ['secondFactor', { secondFactor: 'yes' }],
  ['pollIntervalMs', { pollIntervalMs: 0 }],
  ['pollTimeoutMs', { pollTimeoutMs: Number.NaN }],
  ['expiryWarningsMs', { expiryWarningsMs: 5 }],
  ['expiryWarningsMs[1]', { expiryWarningsMs: [1, -1] }],
  ['renewBeforeMs', { renewBeforeMs: -1 }],
  ['rejectionCodes', { rejectionCodes: 'INVALID_TOKEN' }],
  ['rejectionCodes[0]', { rejectionCodes: [''] }],
  ['storePollIntervalMs', { storePollIntervalMs: '5' }],
  ['callTimeoutMs', { callTimeoutMs: 1.5 }],
  ['keepAliveMs', { keepAliveMs: 5 }],
  ['onSecondFactor', { onSecondFactor: {} }],
  ['onExpiring', { onExpiring: {} }],
  ['observer', { observer: () => {} }],
  ['observer.onTokenCall', { observer: { onTokenCall: {} } }],
  ['clientId', { clientId: '' }],
  ['clock', { clock: 5 }],
  ['clock.setTimer', { clock: { now: () => 0 } }],
])('option %s is checked, and named: %o', (option, change) => {
  const clock = createVirtualClock()
  const good = { endpoints: createTestService(clock).endpoints, store: createFailingStore(), identity, clock }
  const options = change === null ? null : { ...good, ...change }
  const error = expect.objectContaining({
    code: 'TOKEN_OPTION_INVALID',
    details: expect.objectContaining({ option }),
  })
  expect(() => createAccessTokens(options as never)).toThrow(error)
})

test.each([
  ['options', null],
  ['options', 5],
  ['wait', { wait: 'false' }],
  ['signal', { signal: {} }],
  ['signal', { signal: null }],
])('%s of a call is checked, and named: %o', async (option, given) => {
  const clock = createVirtualClock()
  const { endpoints } = createTestService(clock)
  const tokens = createAccessTokens({ endpoints, store: createFailingStore(), identity, clock })
  for (const call of [tokens.get, tokens.renew]) {
    const error = await call(given as never).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'TOKEN_OPTION_INVALID', details: { option } })
  }
  const rejection = { status: 401, code: 'INVALID_TOKEN' }
  if (option !== 'wait') {
    const error = { code: 'TOKEN_OPTION_INVALID', details: { option } }
    await expect(tokens.reportRejected(new Secret('t'), rejection, given as never)).rejects.toMatchObject(
      error,
    )
    expect(() => tokens.watch(given as never)).toThrow(expect.objectContaining({ code: error.code }))
    const limiter = createTokenRateLimiter({ clock })
    await expect(limiter.acquire('check', given as never)).rejects.toThrow(
      expect.objectContaining({ code: error.code }),
    )
  }
  await expect(tokens.reportRejected(new Secret('t'), undefined as never)).rejects.toMatchObject({
    code: 'TOKEN_OPTION_INVALID',
    details: { option: 'rejection' },
  })
})

describe('get() with options', () => {
  const nowMs = Date.UTC(2026, 0, 1)
  const token = new Secret('token')
  const current = { token, expiresAtMs: nowMs + 1 }
  const over = { token, expiresAtMs: nowMs }
  const pending = {
    token,
    status: 'PENDING',
    expiresAtMs: undefined,
    createdAtMs: nowMs,
    checkedAtMs: undefined,
  }
  const unknown = { atMs: nowMs - 299_999, outcome: 'unknown' } as const

  test.each<[string, StoredAccessToken, string, string]>([
    ['nothing stored', {}, 'create', 'create'],
    [
      'a create that a killed process began',
      { lastCreate: { atMs: nowMs, outcome: 'started' } },
      'create',
      'create',
    ],
    ['a create whose outcome is not known', { lastCreate: unknown }, 'fail', 'create'],
    ['the same, five minutes ago', { lastCreate: { ...unknown, atMs: nowMs - 300_000 } }, 'create', 'create'],
    ['a token', { current }, 'use', 'use'],
    ['a token without an expiry', { current: { token, expiresAtMs: undefined } }, 'use', 'use'],
    ['a token past its expiry', { current: over }, 'verify', 'create'],
    ['a pending token', { pending }, 'poll', 'poll'],
    ['a token and a pending one', { current, pending }, 'use', 'use'],
    ['a token past its expiry and a pending one', { current: over, pending }, 'verify', 'poll'],
    ['a token that ended', { ended: 'EXPIRED' }, 'fail', 'create'],
  ])('%s', (_name, record, production, sandbox) => {
    const context = { nowMs, renewBeforeMs: 0 }
    expect(decideGet(record, { ...context, createsWithoutPerson: false }).do).toBe(production)
    expect(decideGet(record, { ...context, createsWithoutPerson: true }).do).toBe(sandbox)
  })
})

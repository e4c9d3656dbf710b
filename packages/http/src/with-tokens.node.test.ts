/** The client together with the token runner, over real connections: the composition that the README shows. */
import type { Store } from '@brokerwire/core'
import { createAccessTokens, createTokenRateLimiter } from '@brokerwire/tokens'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient, createTokenApi, isHttpError } from './index.ts'
import { rejection, testSigner } from './test/fixtures.ts'
import { type LocalService, startLocalService } from './test/local-service.ts'
import type { Reply } from './test/reply.ts'

function mapStore(): Store {
  const records = new Map<string, string>()
  return {
    get: async (key) => records.get(key),
    async compareAndSet(key, expected, next) {
      if (records.get(key) !== expected) return false
      if (next === undefined) records.delete(key)
      else records.set(key, next)
      return true
    },
  }
}

/** A service with token states: every create gives a new token and ends the old one. */
function playService(service: LocalService): { end(): void } {
  let count = 0
  let valid = ''
  service.reply(({ target, headers, verdict }) => {
    const answer = (status: number, json: object): Reply => ({ status, json })
    if (!verdict.ok) return answer(401, { error_code: 'INVALID_SIGNATURE', message: verdict.rule })
    if (target === '/auth/tokens/create') {
      count += 1
      valid = count.toString(16).padStart(32, '0')
    }
    if (target.startsWith('/auth/tokens/')) {
      const status = valid === '' ? 'INVALID' : 'NORMAL'
      return answer(200, { token: valid || '0'.repeat(32), expires_at: Date.now() + 86_400_000, status })
    }
    if (headers['x-access-token'] !== valid || valid === '') {
      return answer(401, { error_code: 'INVALID_TOKEN', message: 'token is invalid' })
    }
    return answer(200, { served: headers['x-access-token'] })
  })
  return {
    end() {
      valid = ''
    },
  }
}

test('a token is created once, used, and replaced when the service ends it', async () => {
  const service = await startLocalService()
  onTestFinished(() => service.close())
  const play = playService(service)
  const common = { baseUrl: service.url, signer: testSigner() }
  const api = createTokenApi(createHttpClient(common), { limiter: createTokenRateLimiter() })
  const accessTokens = createAccessTokens({
    api: api.access,
    store: mapStore(),
    key: { environment: 'sandbox', region: 'us', appKey: common.signer.appKey },
  })
  onTestFinished(() => accessTokens.close())
  const http = createHttpClient({ ...common, accessTokens })

  const answers = await Promise.all([1, 2, 3].map(() => http.request({ method: 'GET', path: '/orders' })))
  expect(answers.map((answer) => answer.json())).toEqual(Array(3).fill({ served: `${'0'.repeat(31)}1` }))
  play.end()
  const after = await http.request({ method: 'GET', path: '/orders' })
  expect(after.json()).toEqual({ served: `${'0'.repeat(31)}2` })
  play.end()
  const error = await rejection(http.request({ method: 'POST', path: '/orders', json: {} }))
  expect(isHttpError(error, 'HTTP_UNAUTHORIZED') && error.retryable).toBe(true)
  const again = await http.request({ method: 'POST', path: '/orders', json: {} })
  expect(again.json()).toEqual({ served: `${'0'.repeat(31)}3` })
  expect(service.received.filter(({ target }) => target === '/auth/tokens/create')).toHaveLength(3)
})

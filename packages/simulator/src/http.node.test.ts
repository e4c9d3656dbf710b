import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createSigner } from '@brokerwire/signer'
import { sendRaw, sendSigned, usableToken } from '@brokerwire/testing/signed-client'
import { describe, expect, it } from 'vitest'
import type { Simulator } from './simulator-api.ts'
import { simulatorForEach } from './test/simulator-for-each.ts'

const { clock, start } = simulatorForEach()

const CREATE = '/auth/tokens/create'
const CHECK = '/auth/tokens/check'
const ECHO = '/openapi/simulator/echo'
const MINUTE = 60_000
const DAY = 86_400_000

async function create(sim: Simulator, json: unknown = {}): Promise<string> {
  return String((await sendSigned(sim, { path: CREATE, json })).json.token)
}

/** A create request whose signature covers this spelling of the host. */
async function signedFor(
  sim: Simulator,
  host: string,
  nonce: string = randomBytes(16).toString('hex'),
): Promise<(sent: string) => ReturnType<typeof sendRaw>> {
  const { appKey, appSecret } = sim.credentials
  const timestamp = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`
  const headers: Record<string, string> = {
    'x-app-key': appKey,
    'x-signature-algorithm': 'HMAC-SHA1',
    'x-signature-nonce': nonce,
    'x-signature-version': '1.0',
    'x-timestamp': timestamp,
  }
  const entries = Object.entries({ host, ...headers }).map(([name, value]) => `${name}=${value}`)
  const digest = createHash('md5').update('{}').digest('hex').toUpperCase()
  const canonical = encodeURIComponent([CREATE, ...entries, digest].join('&'))
  const signature = createHmac('sha1', `${appSecret.reveal()}&`).update(canonical).digest('base64')
  return (sent) =>
    sendRaw(sim, {
      method: 'POST',
      target: CREATE,
      headers: { ...headers, 'x-signature': signature, host: sent },
      body: '{}',
    })
}

async function statusOf(sim: Simulator, token: string): Promise<unknown> {
  return (await sendSigned(sim, { path: CHECK, json: { token } })).json.status
}

describe('access tokens', () => {
  it('are NORMAL at once in the sandbox', async () => {
    const sim = await start({ environment: 'sandbox' })
    const { status, json } = await sendSigned(sim, { path: CREATE, json: {} })
    expect(status).toBe(200)
    expect(json).toEqual({
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
      expires_at: clock.now() + 15 * DAY,
      status: 'NORMAL',
    })
  })

  it('are PENDING in production until the second factor, under both path forms', async () => {
    const sim = await start()
    for (const prefix of ['/auth/tokens', '/openapi/auth/token']) {
      const { json } = await sendSigned(sim, { path: `${prefix}/create`, json: {} })
      expect(json.status).toBe('PENDING')
      expect(sim.approveSecondFactor(String(json.token))).toBe(1)
      const checked = await sendSigned(sim, { path: `${prefix}/check`, json: { token: json.token } })
      expect(checked.json).toEqual({ ...json, status: 'NORMAL' })
    }
  })

  it('are EXPIRED if the second factor comes too late', async () => {
    const sim = await start()
    const token = await create(sim)
    await clock.advance(5 * MINUTE - 1)
    expect(await statusOf(sim, token)).toBe('PENDING')
    await clock.advance(1)
    expect(await statusOf(sim, token)).toBe('EXPIRED')
    expect(sim.approveSecondFactor(token)).toBe(0)
    expect(await statusOf(sim, token)).toBe('EXPIRED')
  })

  it('get an automatic second factor with the option', async () => {
    const sim = await start({ secondFactor: 'automatic', secondFactorDelayMs: 4000 })
    const token = await create(sim)
    expect(await statusOf(sim, token)).toBe('PENDING')
    await clock.advance(4000)
    expect(await statusOf(sim, token)).toBe('NORMAL')
  })

  it('are EXPIRED after 15 days of use, INVALID if they were never used', async () => {
    const sim = await start({ environment: 'sandbox' })
    const [used, unused] = [await create(sim), await create(sim)]
    await clock.advance(DAY)
    const echo = await sendSigned(sim, { path: ECHO, headers: { 'x-access-token': used } })
    expect(echo.status).toBe(200)
    await clock.advance(14 * DAY)
    expect(await statusOf(sim, used)).toBe('EXPIRED')
    expect(await statusOf(sim, unused)).toBe('INVALID')
  })

  it('are INVALID after a time without use, which each call restarts', async () => {
    const sim = await start({ environment: 'sandbox', tokenIdleMs: DAY })
    const token = await create(sim)
    for (let day = 0; day < 3; day += 1) {
      await clock.advance(DAY - 1)
      await sendSigned(sim, { path: ECHO, headers: { 'x-access-token': token } })
    }
    expect(await statusOf(sim, token)).toBe('NORMAL')
    await clock.advance(DAY)
    expect(await statusOf(sim, token)).toBe('INVALID')
  })

  it('are INVALID if they are unknown', async () => {
    const sim = await start()
    expect(await statusOf(sim, '0'.repeat(32))).toBe('INVALID')
  })

  it('can be renewed without a second factor, or end earlier ones, if the options say so', async () => {
    const sim = await start({ tokenRenewal: 'normal', revokePreviousOnCreate: true })
    const token = await usableToken(sim)
    const renewed = await sendSigned(sim, { path: CREATE, json: { token } })
    expect(renewed.json.status).toBe('NORMAL')
    expect(await statusOf(sim, token)).toBe('INVALID')
  })

  it('have their expiry in the configured format', async () => {
    const sim = await start({ environment: 'sandbox', expiryField: 'expires', expiryAsString: true })
    const { json } = await sendSigned(sim, { path: CREATE, json: {} })
    expect(json).toEqual({
      token: expect.any(String),
      expires: String(clock.now() + 15 * DAY),
      status: 'NORMAL',
    })
  })
})

describe('client tokens', () => {
  it('end every earlier token of the same user at once', async () => {
    const sim = await start()
    const path = '/auth/client-tokens/create'
    const one = (await sendSigned(sim, { path, json: { client_user_id: 'u' } })).json
    const other = (await sendSigned(sim, { path, json: { client_user_id: 'v' } })).json
    expect(one).toEqual({
      access_token: expect.any(String),
      expires_at: clock.now() + 7_200_000,
      refresh_token: expect.any(String),
      refresh_expires_at: clock.now() + 15 * DAY,
    })
    await sendSigned(sim, { path, json: { client_user_id: 'u' } })
    expect(sim.isClientTokenLive(String(one.access_token))).toBe(false)
    expect(sim.isClientTokenLive(String(other.access_token))).toBe(true)
  })

  it.each([
    ['/auth/client-tokens/create', '/auth/client-tokens/refresh'],
    ['/openapi/auth/client/token/create', '/openapi/auth/client/token/refresh'],
  ])('of %s can be refreshed once with a live refresh token', async (createPath, refreshPath) => {
    const sim = await start()
    const made = await sendSigned(sim, { path: createPath, json: { client_user_id: 'u' } })
    const refresh = () =>
      sendSigned(sim, { path: refreshPath, json: { refresh_token: made.json.refresh_token } })
    const refreshed = await refresh()
    expect(refreshed.status).toBe(200)
    expect(sim.isClientTokenLive(String(made.json.access_token))).toBe(false)
    expect(sim.isClientTokenLive(String(refreshed.json.access_token))).toBe(true)
    const again = await refresh()
    expect(again.status).toBe(401)
    expect(again.json).toEqual({ error_code: 'INVALID_TOKEN', message: expect.any(String) })
  })
})

describe('signatures', () => {
  it('are verified over the raw target and the raw body', async () => {
    const sim = await start({ environment: 'sandbox' })
    const token = await create(sim)
    const echo = await sendSigned(sim, {
      path: ECHO,
      query: [
        ['a', 'x y&z'],
        ['a', '<>'],
        ['é', '1'],
      ],
      json: { note: '<A&B>', text: '騰訊' },
      headers: { 'x-access-token': token },
    })
    expect(echo.status).toBe(200)
    expect(echo.json).toMatchObject({ method: 'POST', body: '{"note":"<A&B>","text":"騰訊"}' })
  })

  it('are accepted for a GET without a body, with x-version v3', async () => {
    const sim = await start({ environment: 'sandbox' })
    const headers = { 'x-access-token': await create(sim), 'x-version': 'v3' }
    const echo = await sendSigned(sim, { method: 'GET', path: ECHO, query: [['q', '1']], headers })
    expect(echo.json).toMatchObject({ method: 'GET', target: `${ECHO}?q=1`, body: '', api_version: 'v3' })
  })

  it('are rejected if one byte of the body differs', async () => {
    const sim = await start()
    const { host } = new URL(sim.baseUrl)
    const { appKey, appSecret } = sim.credentials
    const signer = createSigner({ appKey, appSecret, now: clock.now })
    const { headers } = await signer.sign({ scheme: 'http', host, path: CREATE, body: '{}' })
    const answer = await sendRaw(sim, {
      method: 'POST',
      target: CREATE,
      headers: { ...headers },
      body: '{ }',
    })
    expect(answer.status).toBe(401)
    expect(answer.json.error_code).toBe('UNAUTHORIZED')
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.text).not.toContain(appSecret.reveal())
  })

  it('are rejected with a code for each header that is missing or invalid', async () => {
    const sim = await start()
    const { host } = new URL(sim.baseUrl)
    const { appKey, appSecret } = sim.credentials
    const signer = createSigner({ appKey, appSecret, now: clock.now })
    const cases: readonly (readonly [string, string | undefined, string])[] = [
      ['x-app-key', undefined, 'MISSING_APP_KEY'],
      ['x-signature', undefined, 'MISSING_SIGNATURE'],
      ['x-signature-algorithm', undefined, 'MISSING_ALGORITHM'],
      ['x-signature-nonce', undefined, 'MISSING_NONCE'],
      ['x-timestamp', undefined, 'MISSING_TIMESTAMP'],
      ['x-timestamp', '2001-01-01T00:00:00Z', 'ILLEGAL_TIMESTAMP'],
      ['x-timestamp', 'yesterday', 'ILLEGAL_TIMESTAMP'],
      ['x-signature-version', '2.0', 'VERSION_NOT_SUPPORTED'],
      ['x-signature-algorithm', 'HMAC-MD5', 'SIGNATURE_ALGORITHM_NOT_SUPPORTED'],
      ['x-app-key', 'somebody', 'UNAUTHORIZED'],
      ['x-version', 'v1', 'VERSION_NOT_SUPPORTED'],
      ['x-app-secret', 'never', 'UNAUTHORIZED'],
    ]
    for (const [name, value, code] of cases) {
      const signed = await signer.sign({ scheme: 'http', host, path: CREATE, body: '{}' })
      const { [name]: _, ...headers }: Record<string, string> = { ...signed.headers }
      if (value !== undefined) headers[name] = value
      const answer = await sendRaw(sim, { method: 'POST', target: CREATE, headers, body: '{}' })
      expect({ status: answer.status, error_code: answer.json.error_code }).toEqual({
        status: 401,
        error_code: code,
      })
    }
  })

  it.each([
    ['a host in capitals', 'EXAMPLE.com', 'example.com', 200],
    ['capitals that were signed', 'EXAMPLE.com', 'EXAMPLE.com', 200],
    ['a default port', 'example.com:443', 'example.com', 200],
    ['both', 'Example.COM:443', 'example.com', 200],
    ['the default port of clear text', 'example.com:80', 'example.com', 200],
    ['a default port that was signed', 'example.com:443', 'example.com:443', 200],
    ['another port', 'example.com:8443', 'example.com', 401],
    ['another host', 'example.org', 'example.com', 401],
  ])('are verified with the host as it was signed: %s', async (_, sent, signed, expected) => {
    const sim = await start()
    const send = await signedFor(sim, signed)
    const answer = await send(sent)
    expect(answer.status).toBe(expected)
    // Accepting several hosts does not allow replays.
    if (expected === 200) expect((await send(sent)).json.message).toContain('replay')
  })

  it.each([
    ['a UUID', '123e4567-e89b-42d3-a456-426614174000'],
    ['capitals', '0123456789ABCDEF0123456789ABCDEF'],
    ['another length', '0123456789abcdef'],
  ])(
    'have nonces in the format of the specification, or any if the option allows it: %s',
    async (_, nonce) => {
      const strict = await start()
      const refused = await (await signedFor(strict, 'h', nonce))('h')
      expect({ status: refused.status, error_code: refused.json.error_code }).toEqual({
        status: 401,
        error_code: 'UNAUTHORIZED',
      })
      expect(refused.json.message).toContain('x-signature-nonce')
      await strict.close()
      const sim = await start({ nonceFormat: 'any' })
      const send = await signedFor(sim, 'h', nonce)
      expect((await send('h')).status).toBe(200)
      expect((await send('h')).status).toBe(401)
    },
  )

  it('may omit any port if the option allows it', async () => {
    const sim = await start({ hostPort: 'optional' })
    const send = await signedFor(sim, 'example.com')
    expect((await send('example.com:8443')).status).toBe(200)
  })

  it('cannot be used twice', async () => {
    const sim = await start()
    const { host } = new URL(sim.baseUrl)
    const { appKey, appSecret } = sim.credentials
    const signer = createSigner({ appKey, appSecret, now: clock.now })
    const { headers } = await signer.sign({ scheme: 'http', host, path: CREATE, body: '{}' })
    const send = () => sendRaw(sim, { method: 'POST', target: CREATE, headers: { ...headers }, body: '{}' })
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(401)
  })
})

describe('the endpoints', () => {
  it('require a usable token if the app does', async () => {
    const sim = await start()
    const without = await sendSigned(sim, { path: ECHO })
    expect({ status: without.status, error_code: without.json.error_code }).toEqual({
      status: 401,
      error_code: 'UNAUTHORIZED',
    })
    const pending = await sendSigned(sim, { path: ECHO, headers: { 'x-access-token': await create(sim) } })
    expect({ status: pending.status, error_code: pending.json.error_code }).toEqual({
      status: 401,
      error_code: 'INVALID_TOKEN',
    })
  })

  it('serve every method that can be signed', async () => {
    const sim = await start({ environment: 'sandbox' })
    const headers = { 'x-access-token': await create(sim) }
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'REPORT']) {
      const { status, json } = await sendSigned(sim, { method, path: ECHO, headers })
      expect({ status, method: json.method }).toEqual({ status: 200, method })
    }
  })

  it('refresh an access token only if the option is set', async () => {
    const path = '/openapi/auth/token/refresh'
    const plain = await start()
    expect((await sendSigned(plain, { path, json: { token: await usableToken(plain) } })).status).toBe(404)
    await plain.close()
    const sim = await start({ tokenRefresh: true })
    const token = await usableToken(sim)
    await clock.advance(DAY)
    const { status, json } = await sendSigned(sim, { path, json: { token } })
    expect([status, json.status, json.expires_at]).toEqual([200, 'NORMAL', clock.now() + 15 * DAY])
    expect(json.token).not.toBe(token)
    expect(await statusOf(sim, token)).toBe('NORMAL')
    const pending = await sendSigned(sim, { path, json: { token: await create(sim) } })
    expect({ status: pending.status, error_code: pending.json.error_code }).toEqual({
      status: 401,
      error_code: 'INVALID_TOKEN',
    })
    expect((await sendSigned(sim, { path, json: {} })).status).toBe(417)
  })

  it('report whether tokens are required', async () => {
    const sim = await start({ tokenCheckEnabled: false })
    const config = await sendSigned(sim, { method: 'GET', path: '/openapi/config' })
    expect(config.json).toEqual({ token_check_enabled: false })
    expect((await sendSigned(sim, { path: ECHO })).status).toBe(200)
  })

  it('respond with 417 to invalid parameters', async () => {
    const sim = await start({ rateLimit: false })
    const cases: readonly (readonly [string, unknown, string])[] = [
      [CHECK, {}, 'INVALID_PARAMETER'],
      [CHECK, { token: 7 }, 'INVALID_PARAMETER'],
      [CREATE, { token: '' }, 'INVALID_PARAMETER'],
      [CREATE, [], 'OPENAPI_PARAM_ERR'],
      ['/auth/client-tokens/create', {}, 'INVALID_PARAMETER'],
      ['/auth/client-tokens/refresh', { refresh_token: null }, 'INVALID_PARAMETER'],
    ]
    for (const [path, json, code] of cases) {
      const answer = await sendSigned(sim, { path, json })
      expect({ status: answer.status, error_code: answer.json.error_code }).toEqual({
        status: 417,
        error_code: code,
      })
    }
  })

  it('allow 10 calls about access tokens in 30 seconds, over all endpoints together', async () => {
    const sim = await start()
    for (let call = 0; call < 10; call += 1) {
      const path = call % 2 === 0 ? CREATE : '/openapi/auth/token/create'
      expect((await sendSigned(sim, { path, json: {} })).status).toBe(200)
    }
    const refused = await sendSigned(sim, { path: CHECK, json: { token: 'x' } })
    expect({ status: refused.status, error_code: refused.json.error_code }).toEqual({
      status: 429,
      error_code: 'TOO_MANY_REQUESTS',
    })
    expect(refused.headers['retry-after']).toBe('30')
    const client = { path: '/auth/client-tokens/create', json: { client_user_id: 'anna' } }
    expect((await sendSigned(sim, client)).status).toBe(200)
    await clock.advance(30_000)
    expect((await sendSigned(sim, { path: CREATE, json: {} })).status).toBe(200)
  })

  it('count creates and refreshes of client tokens separately', async () => {
    const sim = await start({ rateLimit: { clientRequests: 2, clientWindowMs: 60_000 } })
    const create = { path: '/auth/client-tokens/create', json: { client_user_id: 'anna' } }
    const refresh = { path: '/auth/client-tokens/refresh', json: { refresh_token: 'x' } }
    const statuses: number[] = []
    for (const call of [create, create, create, refresh, refresh, refresh])
      statuses.push((await sendSigned(sim, call)).status)
    expect(statuses).toEqual([200, 200, 429, 401, 401, 429])
    await clock.advance(60_000)
    expect((await sendSigned(sim, create)).status).toBe(200)
  })

  it('set the Date header by the simulator clock', async () => {
    const sim = await start()
    const { headers } = await sendSigned(sim, { path: CREATE, json: {} })
    expect(Date.parse(String(headers.date))).toBe(Math.floor(clock.now() / 1000) * 1000)
  })

  it('reject bodies beyond the limit, and unknown paths', async () => {
    const sim = await start({ maxRequestBytes: 100 })
    expect((await sendSigned(sim, { path: CREATE, json: { token: 'x'.repeat(200) } })).status).toBe(417)
    expect((await sendSigned(sim, { path: '/auth/tokens/delete', json: {} })).status).toBe(404)
  })

  it('are logged without values', async () => {
    const sim = await start()
    const token = await usableToken(sim)
    await sendSigned(sim, { path: ECHO, query: [['q', 'private']], headers: { 'x-access-token': token } })
    const log = sim.requests()
    expect(log.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['POST', CREATE, 200],
      ['POST', ECHO, 200],
    ])
    expect(log[1]?.headerNames).toContain('x-access-token')
    const text = JSON.stringify(log)
    for (const secret of [token, sim.credentials.appSecret.reveal(), 'private']) {
      expect(text).not.toContain(secret)
    }
  })
})

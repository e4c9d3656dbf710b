/** Every rule of the verifier, each with the smallest change that violates it; clocks, keys and nonces. */
import { Secret } from '@brokerwire/core'
import {
  createInMemoryNonceStore,
  createSigner,
  createVerifier,
  isSignerError,
  type NonceRecord,
  type NonceStatus,
  type VerifierOptions,
  type VerifyInput,
} from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { signUrl } from './test/sign-url.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const SECRET = 'a secret of this test'
const now = (): number => NOW
const signerOptions = { appKey: 'key', appSecret: SECRET, now }
const signer = createSigner(signerOptions)
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const verifierWith = (options: Partial<VerifierOptions> = {}) =>
  createVerifier({ secretFor: (key) => (key === 'key' ? SECRET : undefined), now, ...options })

async function signedInput(body?: string): Promise<VerifyInput & { headers: Record<string, string> }> {
  const { headers } = await signUrl(signer, { url: 'https://h.example/p?a=1&b=2%203', body })
  return {
    host: 'h.example',
    target: '/p?a=1&b=2%203',
    headers: { ...headers },
    body: body === undefined ? undefined : bytesOf(body),
  }
}

describe('createVerifier', () => {
  it('accepts a signed request', async () => {
    expect(await verifierWith().verify(await signedInput())).toEqual({ ok: true, appKey: 'key' })
    expect(await verifierWith().verify(await signedInput('{}'))).toEqual({ ok: true, appKey: 'key' })
  })

  it('accepts the same query in another spelling', async () => {
    for (const target of ['/p?b=2%203&a=1', '/p?a=1&b=2+3', '/p?&a=%31&&b=2%203']) {
      expect(await verifierWith().verify({ ...(await signedInput()), target })).toMatchObject({ ok: true })
    }
  })

  const names = [
    'x-app-key',
    'x-signature-algorithm',
    'x-signature-version',
    'x-signature-nonce',
    'x-timestamp',
    'x-signature',
  ] as const
  it.each(names)('rejects %s that is missing, repeated or malformed', async (header) => {
    const input = await signedInput()
    const { [header]: value = '', ...others } = input.headers
    const verifyHeaders = (headers: VerifyInput['headers']) => verifierWith().verify({ ...input, headers })
    expect(await verifyHeaders(others)).toEqual({ ok: false, rule: 'missing-header', header })
    expect(await verifyHeaders({ ...others, [header]: '' })).toEqual({
      ok: false,
      rule: 'missing-header',
      header,
    })
    expect(await verifyHeaders({ ...others, [header]: [] })).toEqual({
      ok: false,
      rule: 'missing-header',
      header,
    })
    expect(await verifyHeaders({ ...others, [header]: [value, value] })).toEqual({
      ok: false,
      rule: 'repeated-header',
      header,
    })
    expect(await verifyHeaders({ ...others, [header]: value, [header.toUpperCase()]: value })).toEqual({
      ok: false,
      rule: 'repeated-header',
      header,
    })
    for (const wrong of [`${value}\n`, `${value} `, `${value}é`, 'x'.repeat(600), `${value}, ${value}`]) {
      expect(await verifyHeaders({ ...others, [header]: wrong })).toEqual({
        ok: false,
        rule: 'malformed-header',
        header,
      })
    }
    expect(await verifyHeaders({ ...others, [header.toUpperCase()]: value })).toEqual({
      ok: true,
      appKey: 'key',
    })
  })

  it.each<[rule: string, change: (input: Awaited<ReturnType<typeof signedInput>>) => object]>([
    ['version', ({ headers }) => ({ headers: { ...headers, 'x-signature-version': '2.0' } })],
    ['algorithm', ({ headers }) => ({ headers: { ...headers, 'x-signature-algorithm': 'HMAC-MD5' } })],
    ['algorithm', ({ headers }) => ({ headers: { ...headers, 'x-signature-algorithm': '__proto__' } })],
    ['unknown-app-key', ({ headers }) => ({ headers: { ...headers, 'x-app-key': 'other' } })],
    ['signature', ({ headers }) => ({ headers: { ...headers, 'x-signature-algorithm': 'HMAC-SHA256' } })],
    ['signature', ({ headers }) => ({ headers: { ...headers, 'x-signature-nonce': '0'.repeat(32) } })],
    ['signature', ({ headers }) => ({ headers: { ...headers, 'x-timestamp': '2026-03-01T12:00:01Z' } })],
    ['signature', ({ headers }) => ({ headers: { ...headers, 'x-signature': 'A' } })],
    ['signature', () => ({ host: 'h.example:8443' })],
    ['signature', () => ({ target: '/q?a=1&b=2%203' })],
    ['signature', () => ({ target: '/p?a=1&b=2%204' })],
    ['signature', () => ({ target: '/p?a=1' })],
    ['signature', () => ({ target: '/p?a=1&b=2%203&c' })],
    ['signature', () => ({ body: bytesOf('{}') })],
    ['missing-header', () => ({ host: '' })],
    ['missing-header', () => ({ host: undefined })],
    ['malformed-header', () => ({ host: 'h example' })],
    ['target', () => ({ target: '' })],
    ['target', () => ({ target: '*' })],
    ['target', () => ({ target: 'https://h.example/p?a=1&b=2%203' })],
    ['target', () => ({ target: '/p?a=1&b=2%203#f' })],
    ['target', () => ({ target: '/p?a=1&b=é' })],
    ['target', () => ({ target: '/p?a=%ff' })],
    ['target', () => ({ target: '/p\u0000' })],
    ['target', () => ({ target: undefined })],
    ['target', () => ({ target: Object('/p?a=1&b=2%203') })],
    ['target', () => ({ target: 'p?a=1&b=2%203' })],
    ['missing-header', () => ({ headers: undefined })],
    ['missing-header', () => ({ headers: 'x-app-key: key' })],
  ])('rejects a request with the rule %s', async (rule, change) => {
    const input = await signedInput()
    const result = await verifierWith().verify({ ...input, ...change(input) } as VerifyInput)
    expect(result).toMatchObject({ ok: false, rule })
    expect(JSON.stringify(result)).not.toContain(SECRET)
  })

  it('rejects a value that is not an object like a request without headers', async () => {
    for (const nothing of [undefined, null, 'text', 5]) {
      const result = await verifierWith().verify(nothing as never)
      expect(result).toEqual({ ok: false, rule: 'missing-header', header: 'x-app-key' })
    }
  })

  it.each([
    '',
    'yesterday',
    '2026-03-01T12:00:00.000Z',
    '2026-03-01T13:00:00+01:00',
    '2026-02-30T12:00:00Z',
    '0',
  ])('rejects the malformed timestamp %j', async (timestamp) => {
    const input = await signedInput()
    const headers = { ...input.headers, 'x-timestamp': timestamp }
    const rule = timestamp === '' ? 'missing-header' : 'malformed-header'
    expect(await verifierWith().verify({ ...input, headers })).toEqual({
      ok: false,
      rule,
      header: 'x-timestamp',
    })
  })

  it.each<[rule: string, header: string, change: (headers: Record<string, string>) => object]>([
    [
      'version',
      'x-signature-version',
      (headers) => ({ headers: { ...headers, 'x-signature-version': '2' } }),
    ],
    [
      'algorithm',
      'x-signature-algorithm',
      (headers) => ({ headers: { ...headers, 'x-signature-algorithm': '?' } }),
    ],
    [
      'timestamp',
      'x-timestamp',
      (headers) => ({ headers: { ...headers, 'x-timestamp': '2026-03-02T12:00:00Z' } }),
    ],
    ['unknown-app-key', 'x-app-key', (headers) => ({ headers: { ...headers, 'x-app-key': 'other' } })],
    ['signature', 'x-signature', () => ({ target: '/q' })],
    ['missing-header', 'host', () => ({ host: '' })],
    ['malformed-header', 'host', () => ({ host: 'h h' })],
    ['malformed-header', 'host', () => ({ host: ['h.example'] })],
  ])('returns %s with the name of the header, %s', async (rule, header, change) => {
    const input = await signedInput()
    const result = await verifierWith().verify({ ...input, ...change(input.headers) } as VerifyInput)
    expect(result).toMatchObject({ ok: false, rule, header })
  })

  it('returns the expected canonical string', async () => {
    const input = await signedInput()
    const result = await verifierWith().verify({ ...input, target: '/p?a=1&b=2' })
    expect(result).toMatchObject({
      rule: 'signature',
      canonical: expect.stringContaining('/p&a=1&b=2&host=h.example'),
    })
  })

  it('rejects a signature that differs in one character', async () => {
    const input = await signedInput()
    const good = input.headers['x-signature'] ?? ''
    const verifier = verifierWith()
    const spoilt = [...good].map((c, i) => good.slice(0, i) + (c === 'A' ? 'B' : 'A') + good.slice(i + 1))
    for (const signature of [...spoilt, good.slice(0, -1), `${good}=`, good.replace(/=$/, ''), `=${good}`]) {
      const headers = { ...input.headers, 'x-signature': signature }
      expect(await verifier.verify({ ...input, headers })).toMatchObject({ ok: false, rule: 'signature' })
    }
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
  })

  it('rejects Base64 that decodes to the same bytes but has other padding bits', async () => {
    const input = await signedInput()
    const good = input.headers['x-signature'] ?? ''
    const last = good.at(-2) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const other = `${good.slice(0, -2)}${alphabet[alphabet.indexOf(last) + 1]}=`
    expect(atob(other)).toBe(atob(good))
    const headers = { ...input.headers, 'x-signature': other }
    expect(await verifierWith().verify({ ...input, headers })).toMatchObject({ ok: false, rule: 'signature' })
  })

  it('accepts only the algorithms of the option', async () => {
    const verifier = verifierWith({ algorithms: ['HMAC-SHA256'] })
    expect(await verifier.verify(await signedInput())).toMatchObject({ ok: false, rule: 'algorithm' })
  })

  it('accepts Headers objects', async () => {
    const input = await signedInput()
    const headers = new Headers(input.headers)
    expect(await verifierWith().verify({ ...input, headers })).toMatchObject({ ok: true })
    const { 'x-timestamp': _, ...others } = input.headers
    expect(await verifierWith().verify({ ...input, headers: new Headers(others) })).toEqual({
      ok: false,
      rule: 'missing-header',
      header: 'x-timestamp',
    })
    headers.append('x-signature-nonce', '0')
    expect(await verifierWith().verify({ ...input, headers })).toMatchObject({ rule: 'malformed-header' })
  })

  it('rejects its promise for a body that is a string, because that is a mistake of the server', async () => {
    const input = { ...(await signedInput()), body: '{}' as unknown as Uint8Array }
    const error: unknown = await verifierWith()
      .verify(input)
      .catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_INPUT_INVALID')).toBe(true)
  })
})

describe('the option scheme', () => {
  const verifyHeaders = async (signedHost: string, host: string, scheme?: 'https' | 'http') => {
    const { headers } = await signer.sign({ host: signedHost, path: '/p', scheme })
    return verifierWith({ scheme }).verify({ host, target: '/p', headers })
  }
  const ok = { ok: true, appKey: 'key' }

  it.each([
    ['https', 'H.Example'],
    ['https', 'h.example:443'],
    ['https', 'H.EXAMPLE:443'],
    ['http', 'H.Example'],
    ['http', 'h.example:80'],
    ['http', 'H.EXAMPLE:80'],
  ] as const)('%s normalizes the host %s', async (scheme, host) => {
    expect(await verifyHeaders('h.example', host, scheme)).toEqual(ok)
    expect(await verifyHeaders('h.example', 'h.example', scheme)).toEqual(ok)
    // The signer removes the default port and signs lower case.
    expect(await verifyHeaders(host, host, scheme)).toEqual(ok)
    expect(await verifyHeaders('h.example', host)).toMatchObject({ ok: false, rule: 'signature' })
  })

  it.each([
    ['https', 'h.example:80'],
    ['http', 'h.example:443'],
    ['https', 'h.example:4430'],
    ['https', 'h.example:8443'],
    ['https', 'other.example'],
    ['https', 'h.example.:443'],
  ] as const)('%s does not make the host %s equal to the signed one', async (scheme, host) => {
    expect(await verifyHeaders('h.example', host, scheme)).toMatchObject({ ok: false, rule: 'signature' })
  })

  it('keeps any other port', async () => {
    expect(await verifyHeaders('h.example:8443', 'H.example:8443', 'https')).toEqual(ok)
    expect(await verifyHeaders('h.example:8443', 'h.example', 'https')).toMatchObject({ rule: 'signature' })
  })
})

describe('the timestamp window', () => {
  it.each([
    [0, true],
    [300_000, true],
    [-300_000, true],
    [300_001, false],
    [-300_001, false],
  ])('with a difference of %i ms accepts the request: %s', async (offMs, ok) => {
    const verifier = verifierWith({ now: () => NOW + offMs })
    expect(await verifier.verify(await signedInput())).toMatchObject({ ok })
  })

  it('reports the direction and the seconds', async () => {
    const late = await verifierWith({ now: () => NOW + 600_000 }).verify(await signedInput())
    expect(late).toMatchObject({ rule: 'timestamp', reason: '600 s behind this clock' })
    const early = await verifierWith({ now: () => NOW - 600_000 }).verify(await signedInput())
    expect(early).toMatchObject({ rule: 'timestamp', reason: '600 s ahead of this clock' })
  })

  it.each([[[Number.NaN]], [[NOW, Number.NaN]], [['2026-03-01T12:00:00Z']]])(
    'rejects the promise if the clock returns %j, because that is a mistake of the server',
    async (readings) => {
      const verifier = verifierWith({ now: () => readings.shift() as number })
      const error = await verifier.verify(await signedInput()).catch((reason: unknown) => reason)
      const details = { field: 'now()', expected: 'milliseconds since the Unix epoch' }
      expect(isSignerError(error, 'SIGNER_OPTION_INVALID') && error.details).toEqual(details)
    },
  )
})

describe('keys', () => {
  it('may have two secrets during a rotation', async () => {
    const verifier = verifierWith({ secretFor: async () => ['new secret', new Secret(SECRET)] })
    expect(await verifier.verify(await signedInput())).toMatchObject({ ok: true })
    const renewed = createSigner({ ...signerOptions, appSecret: 'new secret' })
    const { headers } = await renewed.sign({ host: 'h', path: '/' })
    expect(await verifier.verify({ host: 'h', target: '/', headers })).toMatchObject({ ok: true })
    const retired = createSigner({ ...signerOptions, appSecret: 'old secret' })
    const old = await retired.sign({ host: 'h', path: '/' })
    expect(await verifier.verify({ host: 'h', target: '/', headers: old.headers })).toMatchObject({
      rule: 'signature',
    })
  })

  it('are unknown if the list is empty', async () => {
    const verifier = verifierWith({ secretFor: () => [] })
    expect(await verifier.verify(await signedInput())).toMatchObject({ rule: 'unknown-app-key' })
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'other'])(
    'are unknown if the lookup returns an inherited property: %s',
    async (appKey) => {
      const secrets: Record<string, string> = { key: SECRET }
      const verifier = verifierWith({ secretFor: (key) => secrets[key] })
      const { headers } = await createSigner({ ...signerOptions, appKey }).sign({ host: 'h', path: '/' })
      expect(await verifier.verify({ host: 'h', target: '/', headers })).toMatchObject({
        rule: 'unknown-app-key',
      })
    },
  )

  it.each([5, true, {}, () => SECRET])('are unknown if the lookup returns %s', async (found) => {
    const verifier = verifierWith({ secretFor: () => found as never })
    expect(await verifier.verify(await signedInput())).toMatchObject({ rule: 'unknown-app-key' })
  })

  it('have separate secrets', async () => {
    const secrets: Record<string, string> = { key: SECRET, other: 'other secret' }
    const verifier = verifierWith({ secretFor: (key) => secrets[key] })
    const { headers } = await createSigner({ ...signerOptions, appKey: 'other' }).sign({
      host: 'h',
      path: '/',
    })
    expect(await verifier.verify({ host: 'h', target: '/', headers })).toMatchObject({ rule: 'signature' })
  })

  it('reject the promise if the lookup throws or returns an invalid secret', async () => {
    const broken = verifierWith({ secretFor: () => Promise.reject(new Error('the vault is down')) })
    await expect(broken.verify(await signedInput())).rejects.toThrow('the vault is down')
    for (const wrong of ['', [''], [null], [5]]) {
      const verifier = verifierWith({ secretFor: () => wrong as string })
      const error: unknown = await verifier.verify(await signedInput()).catch((reason: unknown) => reason)
      expect(isSignerError(error, 'SIGNER_OPTION_INVALID')).toBe(true)
    }
  })
})

describe('nonces', () => {
  it('are rejected the second time, for the same app key only', async () => {
    const verifier = verifierWith({ secretFor: () => SECRET })
    const input = await signedInput()
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
    expect(await verifier.verify(input)).toEqual({ ok: false, rule: 'replay', header: 'x-signature-nonce' })
    const nonce = (): string => input.headers['x-signature-nonce'] ?? ''
    const { headers } = await createSigner({ ...signerOptions, appKey: 'other', nonce }).sign({
      host: 'h',
      path: '/',
    })
    expect(await verifier.verify({ host: 'h', target: '/', headers })).toMatchObject({ ok: true })
  })

  it('are not stored if the signature is invalid', async () => {
    const verifier = verifierWith()
    const input = await signedInput()
    const headers = { ...input.headers, 'x-signature': 'A' }
    expect(await verifier.verify({ ...input, headers })).toMatchObject({ rule: 'signature' })
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
  })

  it('are stored until the timestamp is rejected, also for a timestamp in the future', async () => {
    let time = NOW - 300_000
    const verifier = verifierWith({ now: () => time })
    const input = await signedInput()
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
    time = NOW + 300_000
    expect(await verifier.verify(input)).toMatchObject({ rule: 'replay' })
    time += 1
    expect(await verifier.verify(input)).toMatchObject({ rule: 'timestamp' })
  })

  it('are rejected at the end of the window, even if the lookup of the secret is slow', async () => {
    let time = NOW
    const slow = {
      now: () => time,
      secretFor: async () => {
        time += 50
        return SECRET
      },
    }
    const verifier = verifierWith(slow)
    const input = await signedInput()
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
    for (const [startMs, rule] of [
      [300_000 - 51, 'replay'],
      [300_000 - 50, 'replay'],
      [300_000 - 49, 'timestamp'],
      [300_000, 'timestamp'],
    ] as const) {
      time = NOW + startMs
      expect(await verifier.verify(input)).toMatchObject({ ok: false, rule })
      time = NOW + startMs
      const stream = await signer.signStream(new Uint8Array([1]))
      const opening = { headers: stream.headers, requestBytes: new Uint8Array([1]) }
      const expected = rule === 'timestamp' ? { ok: false, rule } : { ok: true }
      expect(await verifierWith(slow).verifyStream(opening)).toMatchObject(expected)
      time = NOW + startMs
      expect(await verifierWith({ ...slow, nonces: false }).verify(input)).toMatchObject(expected)
    }
  })

  it('are not needed for an app key whose secret is null', async () => {
    const verifier = verifierWith({ secretFor: async () => null })
    expect(await verifier.verify(await signedInput())).toMatchObject({ ok: false, rule: 'unknown-app-key' })
  })

  it('expire by the verifier’s clock in another in-memory store', async () => {
    const verifier = verifierWith({
      now: () => NOW - 200_000,
      nonces: createInMemoryNonceStore({ maxEntriesPerKey: 10 }),
    })
    const input = await signedInput()
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
    expect(await verifier.verify(input)).toMatchObject({ rule: 'replay' })
  })

  it('may be replayed with the option nonces: false', async () => {
    const verifier = verifierWith({ nonces: false })
    const input = await signedInput()
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
  })

  it('are passed to the given store', async () => {
    const asked: NonceRecord[] = []
    const answers: NonceStatus[] = ['new', 'seen', 'capacity-exceeded']
    const verifier = verifierWith({
      nonces: {
        remember: async (used) => {
          asked.push(used)
          return answers.shift() ?? 'capacity-exceeded'
        },
      },
    })
    const input = await signedInput()
    expect(await verifier.verify(input)).toMatchObject({ ok: true })
    expect(await verifier.verify(input)).toMatchObject({ rule: 'replay' })
    expect(await verifier.verify(input)).toMatchObject({ rule: 'nonce-store-full' })
    const nonce = input.headers['x-signature-nonce']
    const key = `key ${nonce}`
    expect(asked[0]).toEqual({ key, appKey: 'key', nonce, expiresAtMs: NOW + 360_000, nowMs: NOW })
  })
})

describe('streams', () => {
  const requestBytes = new Uint8Array([10, 3, 65, 66, 67])

  it('are verified over the raw bytes of the request', async () => {
    const { headers } = await signer.signStream(requestBytes)
    expect(await verifierWith().verifyStream({ headers, requestBytes })).toEqual({ ok: true, appKey: 'key' })
  })

  it('are rejected with other bytes, as a replay, and with a request’s signature', async () => {
    const { headers } = await signer.signStream(requestBytes)
    const verifier = verifierWith()
    const other = new Uint8Array([10, 3, 65, 66, 68])
    const wrong = await verifier.verifyStream({ headers, requestBytes: other })
    expect(wrong).toMatchObject({ rule: 'signature' })
    expect(await verifier.verifyStream({ headers, requestBytes })).toMatchObject({ ok: true })
    expect(await verifier.verifyStream({ headers, requestBytes })).toMatchObject({ rule: 'replay' })
    const request = await signer.sign({ host: 'h', path: '/' })
    expect(await verifier.verifyStream({ headers: request.headers, requestBytes })).toMatchObject({
      rule: 'signature',
    })
  })

  it('have a digest of an empty message too', async () => {
    const { headers, canonical } = await signer.signStream(new Uint8Array())
    expect(canonical).toMatch(/&e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855$/)
    const empty = { headers, requestBytes: new Uint8Array() }
    expect(await verifierWith().verifyStream(empty)).toMatchObject({ ok: true })
  })

  it('are signed with the algorithm of the option', async () => {
    const other = createSigner({ ...signerOptions, streamAlgorithm: 'HMAC-SHA1' })
    const { headers } = await other.signStream(requestBytes)
    expect(headers['x-signature-algorithm']).toBe('HMAC-SHA1')
    expect(await verifierWith().verifyStream({ headers, requestBytes })).toMatchObject({ ok: true })
  })
})

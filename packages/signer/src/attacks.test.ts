/**
 * Attacks with a captured request and without the secret, one test for each attack of THREATS.md. The
 * signature scheme allows some of them, so the verifier accepts them unless `rejectAmbiguous` is set.
 */
import { createSigner, createVerifier, fromUrl, type HeadersInput, type SignInput } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { signUrl, type UrlRequest } from './test/sign-url.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const now = (): number => NOW
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const signer = createSigner({ appKey: 'key', appSecret: 'secret', now })
const headersOf = async (input: SignInput | UrlRequest): Promise<Record<string, string>> => ({
  ...(await ('url' in input ? signUrl(signer, input) : signer.sign(input))).headers,
})
const verify = async (
  input: { host?: string; target: string; headers: HeadersInput; body?: Uint8Array },
  rejectAmbiguous: boolean,
): Promise<string> => {
  // `any`, because the format of 32 hex characters would reject some attacks before the check for ambiguity.
  const verifier = createVerifier({ secretFor: () => 'secret', now, rejectAmbiguous, nonceFormat: 'any' })
  const result = await verifier.verify({ host: 'h.example', ...input })
  return result.ok ? 'accepted' : `${result.rule}${result.reason ? `: ${result.reason}` : ''}`
}

const twins: [
  attack: string,
  victim: SignInput | UrlRequest,
  forged: (headers: Record<string, string>) => object,
  reason: string,
][] = [
  [
    'a parameter split off a value',
    { url: 'https://h.example/p?a=1%26b%3D2' },
    () => ({ target: '/p?a=1&b=2' }),
    'the victim: & in a query value',
  ],
  [
    'a parameter hidden in a value',
    { url: 'https://h.example/p?a=1&b=2' },
    () => ({ target: '/p?a=1%26b%3D2' }),
    '& in a query value',
  ],
  [
    'a parameter hidden in a name',
    { url: 'https://h.example/p?a=1&b=2' },
    () => ({ target: '/p?a%3D1%26b=2' }),
    '& or = in a query name',
  ],
  [
    'parameters moved into the path',
    { url: 'https://h.example/p?a=1&b=2' },
    () => ({ target: '/p&a=1?b=2' }),
    '& in the path',
  ],
  [
    'a body dropped, its digest made a value',
    { url: 'https://h.example/p?z=1', body: '{}' },
    () => ({ target: '/p?z=1&z=99914B932BD37A50B983C5E7C90AE93B' }),
    'a value of a repeated name looks like a digest',
  ],
  [
    'a value turned into a repeated name’s second value',
    { url: 'https://h.example/p?a=1&b=2' },
    () => ({ target: '/p?a=1&a=b%3D2' }),
    '= in a value of a repeated name',
  ],
  [
    'repeated values in another order',
    { url: 'https://h.example/p?a=1&a=2' },
    () => ({ target: '/p?a=2&a=1' }),
    'values of a repeated name are not in signed order',
  ],
  [
    'the host exchanged with a query value',
    { url: 'https://h.example/p?host=evil.example' },
    () => ({ host: 'evil.example', target: '/p?host=h.example' }),
    'a query name equals a signed header',
  ],
  [
    'a malformed escape for a well-formed one',
    { url: 'https://h.example/p?a=%25zz' },
    () => ({ target: '/p?a=%zz' }),
    'a malformed escape in the query',
  ],
  [
    'half an escape for a percent sign',
    { url: 'https://h.example/p?a=%254z' },
    () => ({ target: '/p?a=%4z' }),
    'a malformed escape in the query',
  ],
  [
    'values of a repeated name in another order, behind one in order',
    { url: 'https://h.example/p?a=1&a=2&b=1&b=2' },
    () => ({ target: '/p?a=1&a=2&b=2&b=1' }),
    'values of a repeated name are not in signed order',
  ],
  [
    'parameters moved into the host',
    { host: 'h.example', path: '/p', query: [['i', '1']] },
    () => ({ host: 'h.example&i=1', target: '/p' }),
    '& in a signed header',
  ],
  [
    'parameters moved into the app key',
    { host: 'h.example', path: '/p', query: [['x-b', '1']] },
    (headers) => ({ target: '/p', headers: { ...headers, 'x-app-key': 'key&x-b=1' } }),
    '& in a signed header',
  ],
  [
    'parameters moved into the nonce',
    { host: 'h.example', path: '/p', query: [['x-signature-o', '1']] },
    (headers) => ({
      target: '/p',
      headers: { ...headers, 'x-signature-nonce': `${headers['x-signature-nonce']}&x-signature-o=1` },
    }),
    '& in a signed header',
  ],
]

describe('requests that share a canonical string', () => {
  it.each(twins)(
    'are accepted unless rejectAmbiguous is set: %s',
    async (_attack, victim, forged, reason) => {
      const headers = await headersOf(victim)
      const forgery = { target: '', headers, ...forged(headers) }
      expect(await verify(forgery, false)).toBe('accepted')
      const strict = await verify(forgery, true)
      // A pair of requests is protected if one of them is rejected.
      if (reason.startsWith('the victim')) {
        expect(strict).toBe('accepted')
        expect(await verify({ target: '/p?a=1%26b%3D2', headers }, true)).toBe(
          'ambiguous: & in a query value',
        )
      } else expect(strict).toBe(`ambiguous: ${reason}`)
    },
  )

  it('are accepted unless rejectAmbiguous is set: a SHA-256 digest moved into a repeated name', async () => {
    const signer = createSigner({ appKey: 'key', appSecret: 'secret', algorithm: 'HMAC-SHA256', now })
    const { headers, canonical } = await signer.sign({ ...fromUrl('https://h.example/p?z=1'), body: '{}' })
    const digest = canonical.slice(-64)
    expect(await verify({ target: `/p?z=1&z=${digest}`, headers }, false)).toBe('accepted')
    expect(await verify({ target: `/p?z=1&z=${digest}`, headers }, true)).toBe(
      'ambiguous: a value of a repeated name looks like a digest',
    )
  })

  it('are accepted unless rejectAmbiguous is set: a digest moved into the last value', async () => {
    const body = bytesOf('{}')
    const headers = await headersOf({ url: 'https://h.example/p?zz=1', body })
    const digest = '99914B932BD37A50B983C5E7C90AE93B'
    expect(await verify({ target: `/p?zz=1%26${digest}`, headers }, false)).toBe('accepted')
    expect(await verify({ target: `/p?zz=1%26${digest}`, headers }, true)).toBe(
      'ambiguous: & in a query value',
    )
  })

  it.each<[ordinary: string, input: UrlRequest]>([
    ['plain pairs', { url: 'https://h.example/p?a=1&b=2' }],
    ['no query', { url: 'https://h.example/p' }],
    ['repeated names in order', { url: 'https://h.example/p?a=1&a=2&a=2' }],
    ['an = in the only value of a name', { url: 'https://h.example/p?a=b%3D2' }],
    ['a value that looks like a digest', { url: `https://h.example/p?a=${'A'.repeat(32)}` }],
    ['non-ASCII, spaces, percent signs', { url: 'https://h.example/p?a=%E4%B8%AD+%20%25' }],
    ['values that only hold a digest', { url: `https://h.example/p?a=0&a=x${'A'.repeat(64)}` }],
    ['values that only begin with one', { url: `https://h.example/p?a=0&a=${'A'.repeat(64)}x` }],
    ['values of 64 other characters', { url: `https://h.example/p?a=0&a=${'z'.repeat(64)}` }],
    ['a percent sign in the path', { url: 'https://h.example/100%/p?a=1' }],
    ['a body', { url: 'https://h.example/p?a=1', body: '{}' }],
    ['names without values', { url: 'https://h.example/p?a&b=' }],
  ])('do not include ordinary requests: %s', async (_ordinary, input) => {
    const headers = await headersOf(input)
    const target = input.url.slice('https://h.example'.length)
    const body = typeof input.body === 'string' ? { body: bytesOf(input.body) } : {}
    expect(await verify({ target, headers, ...body }, true)).toBe('accepted')
  })
})

describe('rejectAmbiguous', () => {
  it('rejects at least one request of each pair', async () => {
    const counted = { forged: 0, victim: 0, both: 0, neither: 0 }
    for (const [, victim, forged] of twins) {
      const headers = await headersOf(victim)
      const { url } = 'url' in victim ? victim : await signer.sign(victim)
      const target = url.replace(/^https:\/\/[^/]+/, '')
      const body = typeof victim.body === 'string' ? { body: bytesOf(victim.body) } : {}
      const ofForged = await verify({ target: '', headers, ...forged(headers) }, true)
      const ofVictim = await verify({ target, headers, ...body }, true)
      const refused = [ofForged, ofVictim].map((outcome) => outcome.startsWith('ambiguous'))
      counted[refused[0] ? (refused[1] ? 'both' : 'forged') : refused[1] ? 'victim' : 'neither'] += 1
    }
    // These numbers are in THREATS.md.
    expect(counted).toEqual({ forged: 12, victim: 1, both: 1, neither: 0 })
  })

  it('rejects random queries with separators in names or values, or with unsorted repeated names', async () => {
    // A linear congruential generator, so that the queries are the same on every machine.
    let state = 20_260
    const below = (limit: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * limit)
    }
    const text = (): string =>
      Array.from({ length: below(7) }, () => String.fromCharCode(32 + below(95))).join('')
    const headers = await headersOf({ url: 'https://h.example/p' })
    let refused = 0
    for (let i = 0; i < 2000; i += 1) {
      const pairs = Array.from({ length: 1 + below(4) }, () => [text(), text()] as const)
      const search = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
      if ((await verify({ target: `/p?${search}`, headers }, true)).startsWith('ambiguous')) refused += 1
    }
    // This number is in THREATS.md.
    expect(refused).toBe(456)
  })
})

describe('a signature', () => {
  it.each(['x-version', 'x-access-token', 'content-type', 'x-request-id'])(
    'does not cover %s',
    async (name) => {
      const headers = await headersOf({ url: 'https://h.example/p' })
      expect(await verify({ target: '/p', headers: { ...headers, [name]: 'changed' } }, true)).toBe(
        'accepted',
      )
    },
  )

  it('does not cover the method', async () => {
    const headers = await headersOf({ url: 'https://h.example/p' })
    const asDelete = { target: '/p', headers, method: 'DELETE' }
    expect(await verify(asDelete, true)).toBe('accepted')
  })
})

describe('a replay', () => {
  it.each([
    [false, 'any', ['accepted', 'accepted']],
    [true, 'any', ['accepted', 'ambiguous']],
    [false, undefined, ['accepted', 'malformed-header']],
  ] as const)(
    'with a parameter moved into the nonce, rejectAmbiguous %s and nonceFormat %s, gives %j',
    async (...given) => {
      const [rejectAmbiguous, nonceFormat, outcomes] = given
      const verifier = createVerifier({ secretFor: () => 'secret', now, rejectAmbiguous, nonceFormat })
      const headers = await headersOf({ url: 'https://h.example/pay?x-signature-o=1' })
      const nonce = `${headers['x-signature-nonce']}&x-signature-o=1`
      const sent = [
        { target: '/pay?x-signature-o=1', headers },
        { target: '/pay', headers: { ...headers, 'x-signature-nonce': nonce } },
      ]
      const results: string[] = []
      for (const request of sent) {
        const result = await verifier.verify({ host: 'h.example', ...request })
        results.push(result.ok ? 'accepted' : result.rule)
      }
      expect(results).toEqual(outcomes)
    },
  )
})

describe('a changed request', () => {
  it.each<[attack: string, forged: (headers: Record<string, string>) => object]>([
    ['another path', () => ({ target: '/q?a=1' })],
    ['another value', () => ({ target: '/p?a=2' })],
    ['another host', () => ({ host: 'evil.example' })],
    ['another body', () => ({ body: bytesOf('{"x":1}') })],
    ['no body', () => ({ body: new Uint8Array() })],
    ['another app', (headers) => ({ headers: { ...headers, 'x-app-key': 'kez' } })],
    [
      'the weaker algorithm',
      (headers) => ({ headers: { ...headers, 'x-signature-algorithm': 'HMAC-SHA1' } }),
    ],
    ['another second', (headers) => ({ headers: { ...headers, 'x-timestamp': '2026-03-01T12:00:01Z' } })],
    ['a fresh nonce', (headers) => ({ headers: { ...headers, 'x-signature-nonce': 'f'.repeat(32) } })],
  ])('is rejected with %s', async (_attack, forged) => {
    const signer = createSigner({ appKey: 'key', appSecret: 'secret', algorithm: 'HMAC-SHA256', now })
    const { headers } = await signUrl(signer, { url: 'https://h.example/p?a=1', body: '{}' })
    const original = { target: '/p?a=1', headers, body: bytesOf('{}') }
    expect(await verify(original, true)).toBe('accepted')
    expect(await verify({ ...original, ...forged({ ...headers }) }, false)).toBe('signature')
  })
})

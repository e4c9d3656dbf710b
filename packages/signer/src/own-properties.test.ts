/**
 * A polluted `Object.prototype`, for example by a merge of JSON from a client. Its properties do not count as
 * options or inputs: each function has the same result as without them.
 */
import {
  canonicalString,
  compare,
  createInMemoryNonceStore,
  createSigner,
  createVerifier,
  explain,
  isSignerError,
  signRequest,
  streamCanonicalString,
} from '@brokerwire/signer'
import { describe, expect, inject, it } from 'vitest'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const NONCE = '0123456789abcdef0123456789abcdef'
const options = { appKey: 'key', appSecret: 'a secret', now: () => NOW, nonce: () => NONCE }
const minutesLater = (minutes: number) => createSigner({ ...options, now: () => NOW + minutes * 60_000 })

/** Every name that a function of the package reads from an argument. */
const NAMES = [
  'appKey appSecret algorithm streamAlgorithm headerCollision nameOrder now nonce crypto',
  'host path query scheme origin body url maxBodyBytes',
  'secretFor windowMs algorithms rejectAmbiguous nonces target headers requestBytes',
  'maxEntriesPerKey maxBytes timestamp version digest retryable cause x-app-key',
].flatMap((names) => names.split(' '))

/** Values that would change a result if they were read. */
const ALL_VALUES: readonly unknown[] = [
  false,
  true,
  'HMAC-SHA256',
  'header-first',
  'utf-16',
  'http',
  'polluted',
  1,
  Number.NaN,
  [['polluted', '1']],
  { remember: () => 'new' },
  () => 'polluted',
]

/** The short run uses one flag and one string. */
const VALUES = inject('isFullRun') ? ALL_VALUES : [true, 'polluted']

const describeError = (error: unknown): unknown => (isSignerError(error) ? error.toJSON() : String(error))

/** Created before the pollution: if every object has `headers`, Node's `Request` throws. */
const requests = (polluted: string) =>
  polluted === 'headers'
    ? []
    : [
        new Request('https://h.example/p?a=1'),
        new Request('https://h.example/p', { method: 'PUT', body: 'b' }),
      ]

/** The results of all functions of the package. */
async function everything(given: readonly Request[]): Promise<unknown> {
  const results: unknown[] = []
  const attempt = async (run: () => unknown): Promise<void> => {
    try {
      results.push(await run())
    } catch (error) {
      results.push(describeError(error))
    }
  }
  const signer = createSigner(options)
  const web = await createSigner({ ...options, algorithm: 'HMAC-SHA256' }).sign({
    host: 'h.example',
    path: '/p',
    body: '{}',
  })
  results.push([web.url, web.canonical, web.headers])
  const plain = await signer.sign({ host: 'h.example', path: '/p' })
  const stream = await signer.signStream(new Uint8Array([1]))
  results.push([plain.url, plain.canonical, plain.headers], [stream.canonical, stream.headers])
  // Names that equal signed headers are sorted differently.
  const mixed = await signer.sign({
    host: 'h.example',
    path: '/p',
    query: [
      ['x-a', '1'],
      ['host', 'a'],
    ],
  })
  results.push([mixed.url, mixed.canonical])

  const verifier = createVerifier({ secretFor: () => 'a secret', now: () => NOW })
  const arrived = { host: 'h.example', target: '/p', headers: plain.headers }
  await attempt(() => verifier.verify(arrived))
  await attempt(() => verifier.verify(arrived))
  await attempt(() => verifier.verifyStream({ headers: stream.headers, requestBytes: new Uint8Array([1]) }))
  await attempt(async () => {
    const late = await minutesLater(6).sign({ host: 'h.example', path: '/p' })
    return verifier.verify({ ...arrived, headers: late.headers })
  })
  await attempt(() => verifier.verify({} as never))
  await attempt(() => verifier.verifyStream({} as never))

  const memory = createInMemoryNonceStore()
  const used = { key: '', appKey: 'key', nonce: 'a', expiresAtMs: NOW + 1, nowMs: NOW }
  results.push(memory.remember(used), memory.remember({ ...used, nonce: 'b' }), memory.remember(used))

  for (const request of given) {
    const signed = await signRequest(signer, request)
    results.push([signed.url, signed.method, [...signed.headers], await signed.text()])
  }

  const captured = { host: 'h.example', path: '/p', headers: plain.headers }
  await attempt(() => explain(captured))
  await attempt(() => explain({ url: 'https://h.example/p', headers: plain.headers }))
  await attempt(() => explain({ headers: stream.headers, requestBytes: new Uint8Array([1]) }))
  await attempt(() => explain({} as never))
  await attempt(() => compare(captured, plain.canonical))
  await attempt(() => compare(captured, mixed.canonical))

  const parts = { appKey: 'key', algorithm: 'HMAC-SHA1', nonce: NONCE, timestamp: '2026-03-01T12:00:00Z' }
  results.push(canonicalString({ ...parts, path: '/p', host: 'h.example' }))
  results.push(streamCanonicalString({ ...parts, digest: 'd' }))
  for (const wrong of [{}, { appKey: 'key' }, { appSecret: 's' }]) {
    await attempt(() => createSigner(wrong as never))
    await attempt(() => createVerifier(wrong as never))
  }
  return JSON.stringify(results)
}

describe('a polluted Object.prototype', () => {
  it.each(NAMES)('has no effect with the property `%s`', async (name) => {
    const expected = await everything(requests(name))
    for (const value of VALUES) {
      let found: unknown
      const given = requests(name)
      Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
      try {
        found = await everything(given)
      } finally {
        Reflect.deleteProperty(Object.prototype, name)
      }
      expect(found, `with ${String(value)}`).toBe(expected)
    }
  })
})

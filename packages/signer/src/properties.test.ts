/** Properties of any request: order, encoding, round trips, rejection of changes, unchanged inputs. */
import {
  canonicalString,
  compare,
  createSigner,
  createVerifier,
  encodeCanonical,
  explain,
  type QueryPair,
  streamCanonicalString,
} from '@brokerwire/signer'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { findAmbiguity } from './ambiguity.ts'
import { ORDERS } from './order.ts'
import { parseQuery } from './query.ts'
import { signUrl } from './test/sign-url.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const TIMESTAMP = '2026-03-01T12:00:00Z'
const NONCE = '0123456789abcdef0123456789abcdef'
const text = fc.string({ unit: 'binary', maxLength: 12 })
const name = fc.oneof(text, fc.constantFrom('a', 'host', 'x-app-key', 'x-b', 'x-timestamp', 'z', '😀', '～'))
const pair = fc.tuple(name, text)
// Short and long arrays, because engines sort them with different algorithms.
const query = fc.oneof(fc.array(pair, { maxLength: 6 }), fc.array(pair, { minLength: 15, maxLength: 40 }))
const path = fc.webPath().map((tail) => `/${tail.replace(/^\//, '')}`)
const body = fc.option(fc.uint8Array({ maxLength: 64 }), { nil: undefined })
const algorithm = fc.constantFrom('HMAC-SHA1' as const, 'HMAC-SHA256' as const)
const headerCollision = fc.constantFrom('sorted' as const, 'header-first' as const)
const nameOrder = fc.constantFrom('code-point' as const, 'utf-16' as const)
const secret = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 100 })
  .filter((text) => text.trim() === text)

const fixed = { now: () => NOW, nonce: () => NONCE }

describe('encoding', () => {
  it('is reversible, and leaves only unreserved characters', () => {
    fc.assert(
      fc.property(text, (plain) => {
        const encoded = encodeCanonical(plain)
        expect(decodeURIComponent(encoded)).toBe(plain)
        expect(encoded).toMatch(/^(?:[\w.~-]|%[\dA-F]{2})*$/)
      }),
    )
  })

  it('of a query is reversible by parsing it', () => {
    fc.assert(
      fc.property(query, (pairs) => {
        const search = pairs.map((pair) => pair.map(encodeCanonical).join('=')).join('&')
        expect(parseQuery(search)).toEqual(pairs)
      }),
    )
  })

  it('throws for a lone surrogate', () => {
    expect(() => encodeCanonical('\ud83d')).toThrow(URIError)
  })
})

describe('order', () => {
  it('by code point is the bytewise order of UTF-8', () => {
    const bytes = (value: string): readonly number[] => [...new TextEncoder().encode(value)]
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [a, b] = [bytes(left), bytes(right)]
        let expected = a.length - b.length
        for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
          const difference = (a[i] ?? 0) - (b[i] ?? 0)
          if (difference !== 0) {
            expected = difference
            break
          }
        }
        expect(Math.sign(ORDERS['code-point'](left, right))).toBe(Math.sign(expected))
      }),
    )
  })
})

describe('signatures', () => {
  it('do not depend on the order of the query, except with header-first', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.func(fc.nat()), async (pairs, weight) => {
        const signer = createSigner({ appKey: 'k', appSecret: 's', ...fixed })
        const shuffled = pairs
          .map((pair, i) => ({ pair, weight: weight(i) }))
          .sort((a, b) => a.weight - b.weight)
          .map(({ pair }) => pair)
        const one = await signer.sign({ host: 'h', path: '/p', query: pairs })
        const other = await signer.sign({ host: 'h', path: '/p', query: shuffled })
        expect(other.url).toBe(one.url)
        expect(other.headers).toEqual(one.headers)
      }),
    )
  })

  it('of requests have the canonical string of canonicalString()', async () => {
    await fc.assert(
      fc.asyncProperty(query, path, algorithm, headerCollision, nameOrder, async (pairs, at, ...choices) => {
        const [name, collision, order] = choices
        const options = { algorithm: name, headerCollision: collision, nameOrder: order }
        const signer = createSigner({ appKey: 'k&=', appSecret: 's', ...fixed, ...options })
        const { canonical, headers } = await signer.sign({ host: 'h.example:81', path: at, query: pairs })
        const parts = { appKey: 'k&=', host: 'h.example:81', path: at, query: pairs, ...options }
        expect(canonical).toBe(canonicalString({ ...parts, nonce: NONCE, timestamp: TIMESTAMP }))
        const captured = { host: 'h.example:81', path: at, query: pairs, headers, ...options }
        expect((await explain(captured)).canonical).toBe(canonical)
      }),
    )
  })

  it('of streams have the canonical string of streamCanonicalString()', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), algorithm, async (requestBytes, streamAlgorithm) => {
        const signer = createSigner({ appKey: 'k&=', appSecret: 's', streamAlgorithm, ...fixed })
        const { canonical } = await signer.signStream(requestBytes)
        const digest = canonical.slice(canonical.lastIndexOf('&') + 1)
        expect(digest).toMatch(/^[\da-f]+$/)
        const parts = { appKey: 'k&=', algorithm: streamAlgorithm, nonce: NONCE, timestamp: TIMESTAMP }
        expect(canonical).toBe(streamCanonicalString({ ...parts, digest }))
      }),
    )
  })

  it('return the signed query in the URL', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (pairs) => {
        const signer = createSigner({ appKey: 'k', appSecret: 's', ...fixed })
        const signed = await signer.sign({ host: 'h', path: '/p', query: pairs })
        const again = await signUrl(signer, { url: signed.url })
        expect(again.canonical).toBe(signed.canonical)
        expect(again.url).toBe(signed.url)
        const [, search = ''] = signed.url.split('?')
        const key = (pair: QueryPair): string => JSON.stringify(pair)
        expect(parseQuery(search).map(key).sort()).toEqual(pairs.map(key).sort())
        // `fetch` does not change the URL.
        expect(new URL(signed.url).search.slice(1)).toBe(search)
      }),
    )
  })

  it('are valid for any request', async () => {
    await fc.assert(
      fc.asyncProperty(
        query,
        path,
        body,
        algorithm,
        secret,
        headerCollision,
        nameOrder,
        async (pairs, at, bytes, name, appSecret, collision, order) => {
          const options = { headerCollision: collision, nameOrder: order, now: () => NOW }
          const signer = createSigner({ appKey: 'k', appSecret, algorithm: name, ...options })
          const { headers, url } = await signer.sign({ host: 'h', path: at, query: pairs, body: bytes })
          const verifier = createVerifier({ secretFor: () => appSecret, ...options })
          const target = url.slice('https://h'.length)
          const result = await verifier.verify({ host: 'h', target, headers, body: bytes })
          expect(result).toEqual({ ok: true, appKey: 'k' })
        },
      ),
    )
  })

  it('are invalid after any change of the canonical string', async () => {
    const request = fc.record({ path, query, body, host: fc.constantFrom('h', 'g.example', 'h:81') })
    const signer = createSigner({ appKey: 'k', appSecret: 's', ...fixed })
    const verifier = createVerifier({ secretFor: () => 's', now: () => NOW, nonces: false })
    await fc.assert(
      fc.asyncProperty(request, request, async (one, other) => {
        const mine = await signer.sign(one)
        const theirs = await signer.sign(other)
        const target = theirs.url.slice(theirs.url.indexOf('/', 8))
        const forged = { host: other.host, target, headers: mine.headers, body: other.body }
        const { ok } = await verifier.verify(forged)
        expect(ok).toBe(mine.canonical === theirs.canonical)
      }),
    )
  })

  it('are invalid after any change of their text', async () => {
    const signer = createSigner({ appKey: 'k', appSecret: 's', ...fixed })
    const { headers } = await signer.sign({ host: 'h', path: '/p' })
    const verifier = createVerifier({ secretFor: () => 's', now: () => NOW, nonces: false })
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.string({ maxLength: 2 }), async (at, insert) => {
        const good = headers['x-signature']
        const changed = good.slice(0, at) + insert + good.slice(at + 1)
        fc.pre(changed !== good)
        const result = await verifier.verify({
          host: 'h',
          target: '/p',
          headers: { ...headers, 'x-signature': changed },
        })
        expect(result.ok).toBe(false)
      }),
    )
  })

  it('of streams are valid, and only for the signed bytes', async () => {
    const bytes = fc.uint8Array({ maxLength: 64 })
    await fc.assert(
      fc.asyncProperty(bytes, bytes, algorithm, secret, async (one, other, streamAlgorithm, appSecret) => {
        const signer = createSigner({ appKey: 'k', appSecret, streamAlgorithm, ...fixed })
        const { headers } = await signer.signStream(one)
        const options = { secretFor: () => appSecret, now: () => NOW, nonces: false } as const
        const verifier = createVerifier(options)
        expect(await verifier.verifyStream({ headers, requestBytes: one })).toEqual({ ok: true, appKey: 'k' })
        const { ok } = await verifier.verifyStream({ headers, requestBytes: other })
        expect(ok).toBe(one.join() === other.join())
      }),
    )
  })

  it('are invalid after any change of a signed header, for requests and streams', async () => {
    const signer = createSigner({ appKey: 'k', appSecret: 's', ...fixed })
    const verifier = createVerifier({ secretFor: () => 's', now: () => NOW, nonces: false })
    const requestBytes = new Uint8Array([1, 2, 3])
    const request = (await signer.sign({ host: 'h', path: '/p' })).headers
    const stream = (await signer.signStream(requestBytes)).headers
    const changed = fc.constantFrom(...(Object.keys(request) as (keyof typeof request)[]))
    const value = fc.oneof(
      text,
      fc.string({ minLength: 1, maxLength: 32 }),
      fc.constantFrom('HMAC-SHA1', 'HMAC-SHA256', '2026-03-01T12:00:01Z', 'K', NONCE.replace('0', '1')),
    )
    await fc.assert(
      fc.asyncProperty(changed, value, async (header, to) => {
        const ofRequest = { host: 'h', target: '/p', headers: { ...request, [header]: to } }
        expect((await verifier.verify(ofRequest)).ok).toBe(to === request[header])
        const ofStream = { requestBytes, headers: { ...stream, [header]: to } }
        expect((await verifier.verifyStream(ofStream)).ok).toBe(to === stream[header])
      }),
    )
  })

  it('are invalid with any other secret', async () => {
    await fc.assert(
      fc.asyncProperty(secret, secret, async (mine, theirs) => {
        const { headers } = await createSigner({ appKey: 'k', appSecret: mine, ...fixed }).sign({
          host: 'h',
          path: '/p',
        })
        const verifier = createVerifier({ secretFor: () => theirs, now: () => NOW })
        const { ok } = await verifier.verify({ host: 'h', target: '/p', headers })
        expect(ok).toBe(mine === theirs)
      }),
    )
  })

  it('accept frozen inputs, and no function changes its inputs', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.uint8Array({ minLength: 1, maxLength: 16 }), async (pairs, bytes) => {
        const before = JSON.stringify(pairs) + bytes.join()
        const input = {
          host: 'h',
          path: '/p',
          query: Object.freeze(pairs.map(Object.freeze)) as never,
          body: bytes,
        }
        const signer = createSigner(Object.freeze({ appKey: 'k', appSecret: 's' }))
        const { headers, url, canonical } = await signer.sign(Object.freeze(input))
        const stream = await signer.signStream(bytes)
        const verifier = createVerifier(Object.freeze({ secretFor: () => Object.freeze(['s']) }))
        const given = Object.freeze({ ...headers })
        const target = url.slice('https://h'.length)
        const arrived = Object.freeze({ host: 'h', target, headers: given, body: bytes })
        expect(await verifier.verify(arrived)).toMatchObject({ ok: true })
        const opening = Object.freeze({ headers: Object.freeze({ ...stream.headers }), requestBytes: bytes })
        expect(await verifier.verifyStream(opening)).toMatchObject({ ok: true })
        const captured = Object.freeze({ ...input, headers: given })
        expect((await explain(captured)).canonical).toBe(canonical)
        expect(await compare(captured, canonical)).toMatchObject({ equal: true })
        expect(JSON.stringify(pairs) + bytes.join()).toBe(before)
      }),
    )
  })

  it('never share a nonce, even after the pool is used up', async () => {
    const signer = createSigner({ appKey: 'k', appSecret: 's' })
    const nonces = new Set<string>()
    for (let i = 0; i < 1000; i += 1) {
      const { headers } = await signer.sign({ host: 'h', path: '/' })
      expect(headers['x-signature-nonce']).toMatch(/^[\da-f]{32}$/)
      nonces.add(headers['x-signature-nonce'])
    }
    expect(nonces.size).toBe(1000)
  })

  it('have the timestamp of the current second', async () => {
    let time = NOW
    const signer = createSigner({ appKey: 'k', appSecret: 's', now: () => time })
    for (const [addMs, expected] of [
      [0, 0],
      [999, 0],
      [1000, 1],
      [1001, 1],
      [86_400_000, 86_400],
      [-1, -1],
    ] as const) {
      time = NOW + addMs
      const { headers, canonical } = await signer.sign({ host: 'h', path: '/' })
      expect(Date.parse(headers['x-timestamp'])).toBe(NOW + expected * 1000)
      expect(canonical).toContain(headers['x-timestamp'])
    }
  })
})

describe('the verifier', () => {
  it('returns a result for any input', async () => {
    const verifier = createVerifier({ secretFor: () => 's', now: () => NOW })
    const any = fc.anything({ withNullPrototype: true }) as fc.Arbitrary<never>
    const value = fc.oneof(fc.string({ unit: 'binary' }), any)
    const headers = fc.oneof(
      fc.dictionary(fc.constantFrom('x-app-key', 'X-Signature', 'x-timestamp', 'x-signature-nonce'), value),
      any,
    ) as fc.Arbitrary<never>
    await fc.assert(
      fc.asyncProperty(value, value, headers, fc.uint8Array(), async (host, target, given, bytes) => {
        expect(await verifier.verify({ host, target, headers: given, body: bytes })).toMatchObject({
          ok: false,
        })
        expect(await verifier.verifyStream({ headers: given, requestBytes: bytes })).toMatchObject({
          ok: false,
        })
      }),
    )
  })

  it('with rejectAmbiguous never accepts two requests that share a canonical string', () => {
    const digestLike = 'A'.repeat(32)
    const part = fc.constantFrom(
      'a',
      'b',
      'c',
      '1',
      '',
      'a=1',
      'b=1',
      'a&b',
      '1&b=1',
      'host',
      'h',
      digestLike,
      'zz',
    )
    const pairs = fc.array(fc.tuple(part, part), { maxLength: 3 })
    const parts = fc.record({
      path: fc.constantFrom('/p', '/p&a=1', '/p=', '/p&b=1'),
      host: fc.constantFrom('h', 'a', 'h&i=1'),
      query: pairs,
      digest: fc.constantFrom(undefined, digestLike),
    })
    const seen = new Map<string, string>()
    let collisions = 0
    const numRuns = inject('isFullRun') ? 20_000 : 2_000
    fc.assert(
      fc.property(parts, (given) => {
        const whole = { appKey: 'k', algorithm: 'HMAC-SHA1', nonce: NONCE, timestamp: TIMESTAMP, ...given }
        const canonical = canonicalString(whole)
        const compare = ORDERS['code-point']
        const identity = JSON.stringify([
          given.path,
          given.host,
          [...given.query].sort((left, right) => ORDERS['code-point'](left[0], right[0])),
          given.digest,
        ])
        if (
          findAmbiguity(given.path, given.path, given.query, [given.host, 'k', NONCE], compare) !== undefined
        ) {
          collisions += 1
          return
        }
        expect(seen.get(canonical) ?? identity).toBe(identity)
        seen.set(canonical, identity)
      }),
      { numRuns },
    )
    expect(collisions).toBeGreaterThan(numRuns / 20)
    expect(seen.size).toBeGreaterThan(100)
  })
})

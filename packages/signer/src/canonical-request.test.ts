/** Optional parts and header collisions of the canonical string. */
import { type CanonicalParts, canonicalString, streamCanonicalString } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'

const signed = { appKey: 'k', algorithm: 'HMAC-SHA1', nonce: 'n', timestamp: 't' }
const parts: CanonicalParts = { ...signed, path: '/p', host: 'h' }
const HEADERS =
  'x-app-key=k&x-signature-algorithm=HMAC-SHA1&x-signature-nonce=n&x-signature-version=1.0&x-timestamp=t'

describe('canonicalString', () => {
  it('needs neither a query nor a digest', () => {
    expect(canonicalString(parts)).toBe(`/p&host=h&${HEADERS}`)
    expect(canonicalString({ ...parts, query: [], digest: 'D' })).toBe(`/p&host=h&${HEADERS}&D`)
  })

  it('accepts another version', () => {
    expect(canonicalString({ ...parts, version: '2.0' })).toContain('&x-signature-version=2.0&')
    expect(streamCanonicalString({ ...signed, version: '2.0', digest: 'd' })).toContain(
      'x-signature-version=2.0=',
    )
  })

  it('with header-first keeps the order of values of a signed header’s name, and sorts all others', () => {
    const query = [
      ['host', 'b'],
      ['host', 'a'],
      ['c', '2'],
      ['c', '1'],
    ] as const
    expect(canonicalString({ ...parts, query, headerCollision: 'header-first' })).toBe(
      `/p&c=1&2&host=h&b&a&${HEADERS}`,
    )
    expect(canonicalString({ ...parts, query })).toBe(`/p&c=1&2&host=a&b&h&${HEADERS}`)
  })
})

describe('streamCanonicalString', () => {
  it('joins the entries with = and the digest with &', () => {
    expect(streamCanonicalString({ ...signed, digest: 'd' })).toBe(`${HEADERS.replaceAll('&', '=')}&d`)
  })
})

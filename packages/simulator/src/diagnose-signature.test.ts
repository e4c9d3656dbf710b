/** Each known signing mistake is recognized from its signature. */
import { createHash, createHmac } from 'node:crypto'
import { encodeCanonical, explain } from '@brokerwire/signer'
import { describe, expect, test } from 'vitest'
import { type DiagnosisHashes, diagnoseSignature } from './diagnose-signature.ts'

const HASHES: DiagnosisHashes = {
  digest: (name, bytes) => createHash(name).update(bytes).digest('hex'),
  hmac: (name, key, message) => createHmac(name, key).update(message).digest('base64'),
}
const SECRET = 'a-secret'
const BODY = '{"b": 1,"a":"x y"}'

async function captured({ url = 'http://127.0.0.1:8080/a%20b?z=1%202&y=2', body = BODY } = {}) {
  const headers = {
    'x-app-key': 'key',
    'x-signature-algorithm': 'HMAC-SHA1',
    'x-signature-nonce': '0'.repeat(32),
    'x-signature-version': '1.0',
    'x-timestamp': '2026-01-31T14:05:09Z',
  }
  const { path, entries, digest, canonical } = await explain({ url, headers, body })
  return { path, entries, digest: digest?.hex, text: canonical }
}

const hmac = (message: string, key = `${SECRET}&`) => createHmac('sha1', key).update(message).digest('base64')
const digestOf = (hash: string) => (text: string) => createHash(hash).update(text).digest('hex').toUpperCase()
const md5 = digestOf('md5')
const sha256 = digestOf('sha256')

async function found(
  sign: (right: string, digest: string) => string,
  given: { url?: string; body?: string } = {},
) {
  const canonical = await captured(given)
  const signature = sign(canonical.text, canonical.digest ?? '')
  const body = new TextEncoder().encode(given.body ?? BODY)
  return diagnoseSignature({ canonical, algorithm: 'HMAC-SHA1', signature, secret: SECRET, body }, HASHES)
}

describe('a mistake', () => {
  test.each<[string, (right: string, digest: string) => string]>([
    ['with the app secret alone', (right) => hmac(encodeCanonical(right), SECRET)],
    ['without percent-encoding', (right) => hmac(right)],
    ['omitted the port', (right) => hmac(encodeCanonical(right.replace(':8080', '')))],
    ['omitted the query', (right) => hmac(encodeCanonical(right.replace('&y=2&z=1 2', '')))],
    [
      'encoded the values of the query twice',
      (right) => hmac(encodeCanonical(right.replace('z=1 2', 'z=1%202'))),
    ],
    ['a + for each space', (right) => hmac(encodeCanonical(right.replace('z=1 2', 'z=1+2')))],
    ['omitted the path', (right) => hmac(encodeCanonical(right.replace('/a%20b&', '')))],
    ['decoded the path', (right) => hmac(encodeCanonical(right.replace('/a%20b', '/a b')))],
    ['added a slash to the path', (right) => hmac(encodeCanonical(right.replace('/a%20b', '/a%20b/')))],
    [
      'omitted x-signature-version',
      (right) => hmac(encodeCanonical(right.replace('&x-signature-version=1.0', ''))),
    ],
    ['omitted the host', (right) => hmac(encodeCanonical(right.replace('&host=127.0.0.1:8080', '')))],
    ['omitted the digest', (right, digest) => hmac(encodeCanonical(right.replace(`&${digest}`, '')))],
    ['in lower case', (right, digest) => hmac(encodeCanonical(right.replace(digest, digest.toLowerCase())))],
    [
      'compact JSON',
      (right, digest) => hmac(encodeCanonical(right.replace(digest, md5('{"b":1,"a":"x y"}')))),
    ],
    ['Python', (right, digest) => hmac(encodeCanonical(right.replace(digest, md5('{"b": 1, "a": "x y"}'))))],
    ['line break', (right, digest) => hmac(encodeCanonical(right.replace(digest, md5(`${BODY}\n`))))],
    [
      'indented JSON',
      (right, digest) => hmac(encodeCanonical(right.replace(digest, md5('{\n  "b": 1,\n  "a": "x y"\n}')))),
    ],
    [
      'the hash of the other algorithm',
      (right, digest) => hmac(encodeCanonical(right.replace(digest, sha256(BODY)))),
    ],
    [
      'the query before the headers',
      (right) => hmac(encodeCanonical(right.replace('&y=2&z=1 2', '').replace('&host', '&y=2&z=1 2&host'))),
    ],
    [
      'sorted in reverse',
      (right, digest) => {
        const [path = '', ...entries] = right.replace(`&${digest}`, '').split('&')
        return hmac(encodeCanonical([path, ...entries.reverse(), digest].join('&')))
      },
    ],
  ])('is recognized: %s', async (what, sign) => {
    const mistake = await found(sign)
    expect(mistake?.what).toContain(what)
    const right = (await captured()).text
    const isSameText = /secret|percent/.test(what)
    expect(mistake?.theirs === right).toBe(isSameText)
  })

  test('is recognized: sorted the query after the headers, although it belongs before them', async () => {
    const url = 'http://127.0.0.1:8080/a?a=1'
    const sign = (right: string, digest: string) =>
      hmac(encodeCanonical(`${right.replace('&a=1', '').replace(`&${digest}`, '')}&a=1&${digest}`))
    expect((await found(sign, { url }))?.what).toBe('sorted the query after the headers')
  })

  test('is recognized: digested the body without the white space around it', async () => {
    const sign = (right: string, digest: string) =>
      hmac(encodeCanonical(right.replace(digest, md5('{ "a":1 }'))))
    expect((await found(sign, { body: ' { "a":1 }\n' }))?.what).toContain('without the white space')
  })

  test('is searched in a deeply nested body without serializing the JSON again', async () => {
    const nested = (levels: number) => `${'[ '.repeat(levels)}${']'.repeat(levels)}`
    // JSON.stringify overflows the stack at this depth.
    const body = nested(20_000)
    expect(await found(() => 'AAAA', { body })).toBeUndefined()
    const lowerCase = (right: string, digest: string) =>
      hmac(encodeCanonical(right.replace(digest, digest.toLowerCase())))
    expect((await found(lowerCase, { body }))?.what).toContain('in lower case')
    const compact = (levels: number) => (right: string, digest: string) =>
      hmac(encodeCanonical(right.replace(digest, md5(nested(levels).replaceAll(' ', '')))))
    expect((await found(compact(64), { body: nested(64) }))?.what).toContain('compact JSON')
    expect(await found(compact(66), { body: nested(66) })).toBeUndefined()
  })

  test('is not reported if none matches, or if the signature is right', async () => {
    expect(await found(() => 'AAAA')).toBeUndefined()
    expect(await found((right) => hmac(encodeCanonical(right)))).toBeUndefined()
    expect(await found((right) => hmac(encodeCanonical(right)), { body: 'not json' })).toBeUndefined()
  })
})

describe('a mistake with a stream', () => {
  const MESSAGE = new Uint8Array([8, 1, 18, 1, 65])
  const digested = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const sign = (message: string, { key = `${SECRET}&`, hash = 'sha256' } = {}) =>
    createHmac(hash, key).update(message).digest('base64')

  async function foundOfStream(wrong: (right: string, digest: string) => string) {
    const headers = {
      'x-app-key': 'key',
      'x-signature-algorithm': 'HMAC-SHA256',
      'x-signature-nonce': '0'.repeat(32),
      'x-signature-version': '1.0',
      'x-timestamp': '2026-01-31T14:05:09Z',
    }
    const { entries, digest, canonical: text } = await explain({ headers, requestBytes: MESSAGE })
    const canonical = { path: undefined, entries, digest: digest?.hex, text }
    const signature = wrong(text, digested(MESSAGE))
    return diagnoseSignature(
      {
        canonical,
        algorithm: 'HMAC-SHA256',
        signature,
        secret: SECRET,
        body: MESSAGE,
      },
      HASHES,
    )
  }
  /** Changes only the separator of the entries. The query is joined with &, the entries with =. */
  const withAnd = (right: string) => right.replace(/=(x-)/g, '&$1')

  test.each<[string, (right: string, digest: string) => string]>([
    ['with the app secret alone', (right) => sign(encodeCanonical(right), { key: SECRET })],
    ['without percent-encoding', (right) => sign(right)],
    ['with another algorithm', (right) => sign(encodeCanonical(right), { hash: 'sha1' })],
    ['with &, as for an HTTP request', (right) => sign(encodeCanonical(withAnd(right)))],
    [
      'with & and wrote the digest in upper case',
      (right, digest) => sign(encodeCanonical(withAnd(right).replace(digest, digest.toUpperCase()))),
    ],
    [
      'message in upper case',
      (right, digest) => sign(encodeCanonical(right.replace(digest, digest.toUpperCase()))),
    ],
    [
      'the digest with = as well',
      (right, digest) => sign(encodeCanonical(right.replace(`&${digest}`, `=${digest}`))),
    ],
    ['omitted the digest', (right, digest) => sign(encodeCanonical(right.replace(`&${digest}`, '')))],
    [
      'omitted x-signature-version',
      (right) => sign(encodeCanonical(right.replace('=x-signature-version=1.0', ''))),
    ],
    [
      'an empty message',
      (right, digest) => sign(encodeCanonical(right.replace(digest, digested(new Uint8Array())))),
    ],
    [
      'its gRPC envelope',
      (right, digest) =>
        sign(encodeCanonical(right.replace(digest, digested(new Uint8Array([0, 0, 0, 0, 5, ...MESSAGE]))))),
    ],
    [
      'with MD5',
      (right, digest) =>
        sign(encodeCanonical(right.replace(digest, createHash('md5').update(MESSAGE).digest('hex')))),
    ],
    [
      'with SHA1',
      (right, digest) =>
        sign(encodeCanonical(right.replace(digest, createHash('sha1').update(MESSAGE).digest('hex')))),
    ],
    [
      'sorted in reverse',
      (right, digest) => {
        const entries = right.replace(`&${digest}`, '').split(/=(?=x-)/)
        return sign(encodeCanonical(`${entries.reverse().join('=')}&${digest}`))
      },
    ],
  ])('is recognized: %s', async (what, wrong) => {
    expect((await foundOfStream(wrong))?.what).toContain(what)
  })

  test('is not reported if none matches, or if the signature is right', async () => {
    expect(await foundOfStream(() => 'AAAA')).toBeUndefined()
    expect(await foundOfStream((right) => sign(encodeCanonical(right)))).toBeUndefined()
  })
})

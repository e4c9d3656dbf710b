/** Each known mistake, made by a client that signs by hand, is recognized by its signature alone. */
import { createHash, createHmac } from 'node:crypto'
import { encodeCanonical, explain } from '@brokerwire/signer'
import { describe, expect, test } from 'vitest'
import { findMistake } from './likely-mistake.ts'

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
const md5 = (text: string) => createHash('md5').update(text).digest('hex').toUpperCase()

async function found(sign: (right: string, digest: string) => string, given: { body?: string } = {}) {
  const canonical = await captured(given)
  const signature = sign(canonical.text, canonical.digest ?? '')
  const body = new TextEncoder().encode(given.body ?? BODY)
  return findMistake({ canonical, algorithm: 'HMAC-SHA1', signature, secret: SECRET, body })
}

describe('a mistake', () => {
  test.each<[string, (right: string, digest: string) => string]>([
    ['with the app secret alone', (right) => hmac(encodeCanonical(right), SECRET)],
    ['without percent-encoding', (right) => hmac(right)],
    ['left the port out', (right) => hmac(encodeCanonical(right.replace(':8080', '')))],
    ['left the query out', (right) => hmac(encodeCanonical(right.replace('&y=2&z=1 2', '')))],
    [
      'encoded the values of the query twice',
      (right) => hmac(encodeCanonical(right.replace('z=1 2', 'z=1%202'))),
    ],
    ['a + for each space', (right) => hmac(encodeCanonical(right.replace('z=1 2', 'z=1+2')))],
    ['left the path out', (right) => hmac(encodeCanonical(right.replace('/a%20b&', '')))],
    ['decoded the path', (right) => hmac(encodeCanonical(right.replace('/a%20b', '/a b')))],
    ['ended the path with a slash', (right) => hmac(encodeCanonical(right.replace('/a%20b', '/a%20b/')))],
    [
      'left x-signature-version out',
      (right) => hmac(encodeCanonical(right.replace('&x-signature-version=1.0', ''))),
    ],
    ['left the host out', (right) => hmac(encodeCanonical(right.replace('&host=127.0.0.1:8080', '')))],
    ['left the digest', (right, digest) => hmac(encodeCanonical(right.replace(`&${digest}`, '')))],
    ['in lower case', (right, digest) => hmac(encodeCanonical(right.replace(digest, digest.toLowerCase())))],
    [
      'compact JSON',
      (right, digest) => hmac(encodeCanonical(right.replace(digest, md5('{"b":1,"a":"x y"}')))),
    ],
    ['Python', (right, digest) => hmac(encodeCanonical(right.replace(digest, md5('{"b": 1, "a": "x y"}'))))],
    ['line break', (right, digest) => hmac(encodeCanonical(right.replace(digest, md5(`${BODY}\n`))))],
  ])('is recognized: %s', async (what, sign) => {
    const mistake = await found(sign)
    expect(mistake?.what).toContain(what)
    const right = (await captured()).text
    const isSameText = /secret|percent/.test(what)
    expect(mistake?.theirs === right).toBe(isSameText)
  })

  test('nothing is said where nothing fits, and of the right signature least of all', async () => {
    expect(await found(() => 'AAAA')).toBeUndefined()
    expect(await found((right) => hmac(encodeCanonical(right)))).toBeUndefined()
    expect(await found((right) => hmac(encodeCanonical(right)), { body: 'not json' })).toBeUndefined()
  })
})

describe('a mistake of a stream', () => {
  const MESSAGE = new Uint8Array([8, 1, 18, 1, 65])
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
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
    const signature = wrong(text, sha256(MESSAGE))
    return findMistake({ canonical, algorithm: 'HMAC-SHA256', signature, secret: SECRET, body: MESSAGE })
  }
  /** The entries, which alone have an = between them where HTTP has an &. */
  const withAnd = (right: string) => right.replace(/=(x-)/g, '&$1')

  test.each<[string, (right: string, digest: string) => string]>([
    ['with the app secret alone', (right) => sign(encodeCanonical(right), { key: SECRET })],
    ['without percent-encoding', (right) => sign(right)],
    ['with the other algorithm', (right) => sign(encodeCanonical(right), { hash: 'sha1' })],
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
    ['left the digest', (right, digest) => sign(encodeCanonical(right.replace(`&${digest}`, '')))],
    [
      'left x-signature-version out',
      (right) => sign(encodeCanonical(right.replace('=x-signature-version=1.0', ''))),
    ],
    [
      'an empty message',
      (right, digest) => sign(encodeCanonical(right.replace(digest, sha256(new Uint8Array())))),
    ],
    [
      "gRPC's envelope",
      (right, digest) =>
        sign(encodeCanonical(right.replace(digest, sha256(new Uint8Array([0, 0, 0, 0, 5, ...MESSAGE]))))),
    ],
    [
      'with MD5',
      (right, digest) =>
        sign(encodeCanonical(right.replace(digest, createHash('md5').update(MESSAGE).digest('hex')))),
    ],
  ])('is recognized: %s', async (what, wrong) => {
    expect((await foundOfStream(wrong))?.what).toContain(what)
  })

  test('nothing is said where nothing fits, and of the right signature least of all', async () => {
    expect(await foundOfStream(() => 'AAAA')).toBeUndefined()
    expect(await foundOfStream((right) => sign(encodeCanonical(right)))).toBeUndefined()
  })
})

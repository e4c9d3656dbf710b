/** Parsing of canonical strings, valid and hostile, encoded or not. */
import { describe, expect, it } from 'vitest'
import { decodeOnce, parseCanonical } from './parse-canonical.ts'

const MD5 = 'ABCDEF0123456789ABCDEF0123456789'
const SHA256 = `${MD5}${MD5}`

describe('decodeOnce', () => {
  it('returns a string unchanged if it does not decode to UTF-8', () => {
    expect(decodeOnce('%26%2526')).toBe('&%26')
    expect(decodeOnce('%ff')).toBe('%ff')
  })
})

describe('parseCanonical', () => {
  it('parses the string of a request', () => {
    const text = `/p&a=1&2&b=3&${MD5}`
    expect(parseCanonical(text)).toEqual({
      text,
      path: '/p',
      entries: [
        { name: 'a', text: 'a=1&2' },
        { name: 'b', text: 'b=3' },
      ],
      digest: MD5,
    })
  })

  it('parses a string that was encoded twice, and keeps its encoded path', () => {
    const once = '%2Fp%0A%26a%3D1%262'
    expect(parseCanonical(encodeURIComponent(once))).toEqual({
      text: once,
      path: '%2Fp%0A',
      entries: [{ name: 'a', text: 'a=1&2' }],
      digest: undefined,
      encodedTwice: true,
    })
    expect(parseCanonical(once).encodedTwice).toBe(undefined)
  })

  it('parses a stream that is joined like a request, and keeps the separators', () => {
    const { entries, path } = parseCanonical('x-app-key=k&x-signature-nonce=x-1&x-timestamp=t&')
    expect(path).toBe('')
    expect(entries).toEqual([
      { name: 'x-app-key', text: 'x-app-key=k&' },
      { name: 'x-signature-nonce', text: 'x-signature-nonce=x-1&' },
      { name: 'x-timestamp', text: 'x-timestamp=t&' },
    ])
  })

  it('parses the string of a stream', () => {
    const text = `x-app-key=k=x-timestamp=t&${SHA256.toLowerCase()}`
    expect(parseCanonical(text)).toEqual({
      text,
      path: '',
      entries: [
        { name: 'x-app-key', text: 'x-app-key=k' },
        { name: 'x-timestamp', text: 'x-timestamp=t' },
      ],
      digest: SHA256.toLowerCase(),
    })
  })

  it.each<[what: string, input: string, text: string]>([
    ['encoded', '%2Fp%26a%3D1%262%20~._-', '/p&a=1&2 ~._-'],
    ['decoded with %26 in it', '/p&a=%26', '/p&a=%26'],
    ['encoded at the beginning alone', '%26a=1', '%26a=1'],
    ['encoded at the end alone', 'a=1%26', 'a=1%26'],
    ['encoded, but no UTF-8', '%ff%26', '%ff%26'],
    ['encoded without a separator', '%2Fp', '%2Fp'],
    ['nothing but a separator', '%26', '&'],
    ['encoded as a form', '%2Fp%26a%3D1+*', '/p&a=1+*'],
    ['encoded, but for slashes and colons', '/p%26a%3D1:2', '/p&a=1:2'],
    ['encoded, with a line end', '%2Fp%26a%3D1\r\n', '/p&a=1\r\n'],
    ['encoded, with something behind', '%2Fp%26a%3D1 x', '%2Fp%26a%3D1 x'],
    ['encoded, with more than ASCII', '%2Fp%26a%3Dé', '%2Fp%26a%3Dé'],
    ['encoded twice', '%252Fp%2526a%253D1', '%2Fp%26a%3D1'],
    ['encoded thrice', '%25252Fp%252526a', '%25252Fp%252526a'],
  ])('finds the parts of a string: %s', (_what, input, text) => {
    expect(parseCanonical(input).text).toBe(text)
  })

  it.each<[what: string, text: string, digest: string | undefined]>([
    ['MD5', `/p&${MD5}`, MD5],
    ['SHA-256', `/p&${SHA256}`, SHA256],
    ['in lower case', `/p&${MD5.toLowerCase()}`, MD5.toLowerCase()],
    ['another length', `/p&${MD5}${MD5.slice(16)}`, undefined],
    ['one digit more', `/p&${MD5}0`, undefined],
    ['one character before', `/p&=${MD5}`, undefined],
    ['a digest and more', `/p&${SHA256}=`, undefined],
    ['other letters', `/p&${'Z'.repeat(32)}`, undefined],
    ['64 other letters', `/p&${'Z'.repeat(64)}`, undefined],
    ['alone, without a separator', MD5, undefined],
    ['with a line end', `/p&${MD5}\r\n`, `${MD5}\r\n`],
    ['behind a separator and nothing else', `&${MD5}`, MD5],
  ])('finds the digest: %s', (_what, text, digest) => {
    expect(parseCanonical(text).digest).toBe(digest)
    expect(parseCanonical(text).entries.some((entry) => entry.text === digest)).toBe(false)
  })

  it('parses a first part without = as an entry, and later ones as more values', () => {
    expect(parseCanonical('/p&a&b&c=1&d').entries.map(({ text }) => text)).toEqual(['a&b', 'c=1&d'])
    expect(parseCanonical('').path).toBe('')
    expect(parseCanonical('').entries).toEqual([])
  })

  it('parses a path that contains the name of a header', () => {
    expect(parseCanonical('/x-app-key=k&a=1')).toMatchObject({
      path: '/x-app-key=k',
      entries: [{ name: 'a' }],
    })
  })

  it('splits a stream’s value at = only before a header', () => {
    expect(parseCanonical('x-app-key=k=k=x-timestamp=t').entries.map(({ text }) => text)).toEqual([
      'x-app-key=k=k',
      'x-timestamp=t',
    ])
  })
})

/** One recorded mistake for each cause: the strings of both sides, and the result of `compare`. */
import { compare, createSigner, isSignerError, type RecordedRequest } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { KNOWN_MISMATCHES } from './causes.ts'
import { signUrl } from './test/sign-url.ts'

const KEY = 'x-app-key=k&x-signature-algorithm=HMAC-SHA1&x-signature-nonce=0&x-signature-version=1.0'
const TIME = 'x-timestamp=2026-03-01T12:00:00Z'
const HEADERS = {
  'x-app-key': 'k',
  'x-signature-algorithm': 'HMAC-SHA1',
  'x-signature-nonce': '0',
  'x-signature-version': '1.0',
  'x-timestamp': '2026-03-01T12:00:00Z',
}
const of = (path: string, entries: string, digest = '', host = 'h.example'): string =>
  `${path}&${entries}${entries && '&'}host=${host}&${KEY}&${TIME}${digest && `&${digest}`}`
const post = (body: string | Uint8Array): RecordedRequest => ({
  url: 'https://h.example/p',
  headers: HEADERS,
  body,
})
describe('recorded mistakes', () => {
  it.each<[cause: string, part: string, ours: string, theirs: string]>([
    ['double-encoding', 'entry a', of('/p', 'a=1 2'), of('/p', 'a=1%202')],
    ['plus-for-space', 'entry a', of('/p', 'a=1+2'), of('/p', 'a=1 2')],
    ['port', 'entry host', of('/p', '', '', 'h.example:443'), of('/p', '')],
    ['port', 'entry host', of('/p', ''), of('/p', '', '', 'h.example:8443')],
    ['host-case', 'entry host', of('/p', '', '', 'H.example'), of('/p', '')],
    ['other-host', 'entry host', of('/p', ''), of('/p', '', '', 'internal:8080')],
    ['other-path', 'path', of('/api/p', ''), of('/p', '')],
    ['path-encoding', 'path', of('/a%20b', ''), of('/a b', '')],
    ['clock', 'entry x-timestamp', of('/p', ''), of('/p', '').replace('12:00', '12:07')],
    ['other-request', 'entry x-signature-nonce', of('/p', ''), of('/p', '').replace('nonce=0', 'nonce=1')],
    ['wrong-algorithm', 'entry x-signature-algorithm', of('/p', ''), of('/p', '').replace('SHA1', 'SHA256')],
    ['wrong-algorithm', 'digest', of('/p', '', 'A'.repeat(32)), of('/p', '', 'A'.repeat(64))],
    ['other-app-key', 'entry x-app-key', of('/p', ''), of('/p', '').replace('key=k', 'key=q')],
    ['header-collision', 'entry host', of('/p', '', '', 'aaa&h.example'), of('/p', '', '', 'h.example&aaa')],
    ['value-order', 'entry a', of('/p', 'a=1&2'), of('/p', 'a=2&1')],
    ['entry-order', 'entry ～', of('/p', '～=1&😀=2'), of('/p', '😀=2&～=1')],
    ['missing-digest', 'digest', of('/p', '', 'A'.repeat(32)), of('/p', '')],
    ['missing-digest', 'digest', of('/p', ''), of('/p', '', 'A'.repeat(32))],
    ['digest-case', 'digest', of('/p', '', 'AB'.repeat(16)), of('/p', '', 'ab'.repeat(16))],
    ['other-body', 'digest', of('/p', '', 'A'.repeat(32)), of('/p', '', 'B'.repeat(32))],
    ['missing-entry', 'entry b', of('/p', 'a=1&b=2'), of('/p', 'a=1')],
    ['missing-entry', 'entry b', of('/p', 'a=1'), of('/p', 'a=1&b=2')],
    ['other-value', 'entry a', of('/p', 'a=1'), of('/p', 'a=2')],
    ['copied-text', 'entry x-timestamp', of('/p', ''), `${of('/p', '')}\n`],
    [
      'header-case',
      'entry x-signature-nonce',
      of('/p', '').replace('=0', '=a'),
      of('/p', '').replace('=0', '=A'),
    ],
    ['repeated-name', 'entry a', of('/p', 'a=1&3'), of('/p', 'a=1&a=3')],
    ['stream-form', 'entry x-app-key', `${KEY}&${TIME}`.replaceAll('&', '='), `${KEY}&${TIME}`],
  ])('include %s at the %s', async (cause, part, ours, theirs) => {
    const comparison = await compare(ours, theirs)
    if (comparison.equal) throw new Error('equal')
    expect(comparison.causes[0].cause).toBe(cause)
    expect(`${comparison.part} ${comparison.name}`.trim()).toBe(part)
    expect(comparison.text).toContain(comparison.causes[0].explanation)
  })

  it.each<[cause: string, ours: string, theirs: string]>([
    ['html-escapes', '{"a":"<b>&"}', '{"a":"\\u003cb\\u003e\\u0026"}'],
    ['html-escapes', '{ "a": "<b>" }', '{"a":"\\u003cb\\u003e"}'],
    ['ascii-escapes', '{"a":"é中"}', '{"a":"\\u00e9\\u4e2d"}'],
    ['reserialized-json', '{ "a": 1 }', '{"a":1}'],
    ['reserialized-json', '{"b":[1,2],"a":{"c":null}}', '{"b": [1, 2], "a": {"c": null}}'],
    ['reserialized-json', '{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'],
    ['reserialized-json', '{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}'],
    ['line-ending', 'plain\ntext', 'plain\ntext\n'],
    ['line-ending', '{"a":1}\r\n', '{"a":1}'],
    ['line-ending', '{"a":1}', '{"a":1}\r\n'],
    ['line-ending', 'plain\ntext', 'plain\r\ntext'],
    ['html-escapes', '{"a":"<b>"}', '{"a":"\\u003Cb\\u003E"}'],
    ['html-escapes', '{"a":"x=\'<\'"}', '{"a":"x\\u003d\\u0027\\u003c\\u0027"}'],
    ['ascii-escapes', '{"a":"é"}', '{"a":"\\u00E9"}'],
    ['reserialized-json', '{"a":[1],"b":{}}', '{\n    "a": [\n        1\n    ],\n    "b": {}\n}'],
    ['reserialized-json', '{"a":[1]}', '{\n\t"a": [\n\t\t1\n\t]\n}'],
    ['reserialized-json', '{"a":"x/y"}', '{"a":"x\\/y"}'],
    ['reserialized-json', '{ "id": 12345678901234567890 }', '{"id":12345678901234567890}'],
    ['reserialized-json', '{"a":"\\u003c"}', '{"a":"<"}'],
  ])('include %s: our %j, their %j', async (cause, ours, theirs) => {
    for (const algorithm of ['HMAC-SHA1', 'HMAC-SHA256'] as const) {
      const headers = (
        await signUrl(createSigner({ appKey: 'k', appSecret: 's', algorithm }), {
          url: 'https://h.example/p',
        })
      ).headers
      const server = createSigner({
        appKey: 'k',
        appSecret: 's',
        algorithm,
        now: () => Date.parse(headers['x-timestamp']),
        nonce: () => headers['x-signature-nonce'],
      })
      const { canonical } = await signUrl(server, { url: 'https://h.example/p', body: theirs })
      const comparison = await compare({ url: 'https://h.example/p', headers, body: ours }, canonical)
      if (comparison.equal) throw new Error('equal')
      expect(comparison.part).toBe('digest')
      expect(comparison.causes[0].cause).toBe(cause)
      expect(comparison.causes[0].explanation).toMatch(
        /^Our body (?:with|serialized) [\w -]+ has their digest/,
      )
    }
  })

  it('include one for every cause of the table', async () => {
    const source = [
      'double-encoding plus-for-space port host-case other-host other-path path-encoding clock other-request',
      'wrong-algorithm other-app-key header-collision value-order entry-order missing-digest digest-case',
      'html-escapes ascii-escapes reserialized-json line-ending other-body missing-entry other-value',
      'copied-text stream-form header-case repeated-name',
    ].join(' ')
    expect(new Set(KNOWN_MISMATCHES.map(({ cause }) => cause))).toEqual(new Set(source.split(' ')))
  })
})

describe('compare', () => {
  it('names the remaining reasons if the strings are equal', async () => {
    const comparison = await compare(of('/p', 'a=1'), of('/p', 'a=1'))
    expect(comparison.equal).toBe(true)
    expect(comparison.text).toContain('secret')
  })

  it('accepts percent-encoded strings on both sides', async () => {
    const ours = of('/p', 'a=1 2')
    expect((await compare(ours, encodeURIComponent(ours))).equal).toBe(true)
    expect((await compare(encodeURIComponent(ours), ours)).equal).toBe(true)
  })

  it('decodes strings that other encoders made, and reports the different encoding', async () => {
    const ours = of('/p', "a=(1)*!'~")
    const theirs = encodeURIComponent(ours)
    for (const one of [
      theirs,
      theirs.replace(/%../g, (hex) => hex.toLowerCase()),
      `${theirs}`.replace('%2F', '/'),
    ]) {
      const comparison = await compare(ours, one)
      expect(comparison.equal).toBe(true)
      expect(comparison.text).toContain('percent-encoding')
    }
    expect(await compare(ours, `${theirs}\n`)).toMatchObject({ causes: [{ cause: 'copied-text' }] })
    const twice = await compare(ours, encodeURIComponent(theirs))
    expect(twice).toMatchObject({
      byte: 0,
      ours: '/p',
      theirs: '%2Fp',
      causes: [{ cause: 'double-encoding' }],
    })
  })

  it('recognizes a copy with a line break after its digest, and shows a separator before a path', async () => {
    const signed = `${of('/p', '')}&99914B932BD37A50B983C5E7C90AE93B`
    expect(await compare(signed, `${signed}\n`)).toMatchObject({ causes: [{ cause: 'copied-text' }] })
    expect(await compare(of('/p', ''), `&${of('/p', '')}`)).toMatchObject({ part: 'path', theirs: '&' })
  })

  it('shows all values of a name, and escapes control characters', async () => {
    const repeated = await compare(of('/p', 'a=1&3'), of('/p', 'a=1&a=3'))
    expect(repeated).toMatchObject({ name: 'a', ours: 'a=1&3', theirs: 'a=1&a=3' })
    const forged = await compare('/p&a\n=1', '/p&a\n=1\r\ntheirs:\u202e\ud800')
    expect(forged).toMatchObject({ ours: 'a\n=1', theirs: 'a\n=1\r\ntheirs:\u202e\ud800' })
    expect(forged.text.split('\n').slice(0, 3)).toEqual([
      'first difference: byte 7, entry a\\u{a}',
      'ours:    a\\u{a}=1',
      'theirs:  a\\u{a}=1\\u{d}\\u{a}theirs:\\u{202e}\\u{d800}',
    ])
  })

  it('has the whole result as text', async () => {
    const missing = await compare('/p&a=1&b=2', '/p&a=1')
    expect(missing.text.split('\n')).toEqual([
      'first difference: byte 6, entry b',
      'ours:    b=2',
      'theirs:  (absent)',
      expect.stringMatching(/^missing-entry: Only one side/),
    ])
    const path = await compare('/p', '/q')
    expect(path.text.split('\n').slice(0, 3)).toEqual([
      'first difference: byte 1, path',
      'ours:    /p',
      'theirs:  /q',
    ])
    expect((await compare('/p', '/p&b=2')).text).toContain('ours:    (absent)\ntheirs:  b=2\n')
  })

  it.each<[what: string, ours: string, theirs: string, found: object]>([
    [
      'an entry put before ours',
      '/p&b=1',
      '/p&a=1&b=1',
      { name: 'a', ours: undefined, theirs: 'a=1', byte: 3 },
    ],
    ['one of our entries missing', '/p&a=1&b=1', '/p&b=1', { name: 'a', ours: 'a=1', theirs: undefined }],
    ['the first of several', '/p&a=1&b=1&c=1', '/p&a=1&b=2&c=2', { name: 'b', ours: 'b=1', theirs: 'b=2' }],
    ['entries exchanged', '/p&b=1&a=1', '/p&a=1&b=1', { name: 'b', ours: 'b=1', theirs: 'b=1' }],
    ['text that ends earlier', '/p', '/pp', { part: 'path', byte: 2 }],
    ['text that ends later', '/pp', '/p', { part: 'path', byte: 2 }],
  ])('finds %s', async (_what, ours, theirs, found) => {
    expect(await compare(ours, theirs)).toMatchObject({ equal: false, ...found })
  })

  it('uses the version of a recorded request, or 1.0 if it has none', async () => {
    const { 'x-signature-version': _, ...others } = HEADERS
    const request = { url: 'https://h.example/p', headers: others }
    expect((await compare(request, of('/p', ''))).equal).toBe(true)
    const other = { ...request, headers: { ...HEADERS, 'x-signature-version': '2.0' } }
    expect(await compare(other, of('/p', ''))).toMatchObject({ name: 'x-signature-version' })
  })

  it('counts bytes, not characters', async () => {
    const comparison = await compare('/é&a=1', '/é&a=2')
    expect(comparison).toMatchObject({ equal: false, byte: 6, ours: 'a=1', theirs: 'a=2' })
  })

  it('accepts a recorded request', async () => {
    const comparison = await compare(post(''), of('/p', 'added=1'))
    expect(comparison).toMatchObject({ equal: false, name: 'added', ours: undefined, theirs: 'added=1' })
    expect((await compare(post(''), of('/p', ''))).equal).toBe(true)
  })

  it('accepts a recorded request if the other string has no digest', async () => {
    expect(await compare(post('{}'), of('/p', ''))).toMatchObject({
      part: 'digest',
      ours: '99914B932BD37A50B983C5E7C90AE93B',
      theirs: undefined,
      causes: [{ cause: 'missing-digest' }],
    })
  })

  it('recognizes a variant of the body by a digest with a line break after it', async () => {
    const theirs = of('/p', '', 'D3EC7C7BF91C2C704C7D73048DF531EE\n')
    const { causes } = (await compare(post('{"a":"<"}'), theirs)) as { causes: readonly { cause: string }[] }
    expect(causes[0]?.cause).toBe('html-escapes')
  })

  it('accepts a recorded stream, and recognizes entries that are joined as for a request', async () => {
    const requestBytes = new Uint8Array([10, 3, 65, 66, 67])
    const signer = createSigner({ appKey: 'k', appSecret: 's' })
    const { headers, canonical } = await signer.signStream(requestBytes)
    expect((await compare({ headers, requestBytes }, canonical)).equal).toBe(true)
    const upper = canonical.replace(/[^&]+$/, (digest) => digest.toUpperCase())
    const comparison = await compare({ headers, requestBytes }, upper)
    expect(comparison).toMatchObject({
      part: 'digest',
      causes: [{ cause: 'digest-case' }],
    })
    const clock = await compare(canonical, canonical.replace(/timestamp=\d+/, 'timestamp=1999'))
    expect(clock).toMatchObject({ part: 'entry', name: 'x-timestamp', causes: [{ cause: 'clock' }] })
  })

  it.each<[why: string, ours: unknown, theirs: unknown]>([
    ['no signature headers', { url: 'https://h/', headers: {} }, ''],
    ['no headers', { url: 'https://h/' }, ''],
    [
      'an unknown algorithm',
      { url: 'https://h/', headers: { ...HEADERS, 'x-signature-algorithm': 'MD5' } },
      '',
    ],
    ['a body that is no bytes', { url: 'https://h/', headers: HEADERS, body: 5 }, ''],
    ['invalid request bytes', { headers: HEADERS, requestBytes: 'x' }, ''],
    ['a value that is not a string', '/p', 5],
  ])('rejects %s', async (_why, ours, theirs) => {
    const error: unknown = await compare(ours as string, theirs as string).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_INPUT_INVALID')).toBe(true)
  })

  it.each([
    ['nameOrder', 'utf16'],
    ['headerCollision', 'header_first'],
  ])('rejects a wrong %s', async (option, value) => {
    const captured = { url: 'https://h.example/p', headers: HEADERS, [option]: value }
    const error: unknown = await compare(captured, '').catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_OPTION_INVALID') && error.details.field).toBe(option)
  })

  it('recognizes a copy in a line that has the name of the header before or after it', async () => {
    const plain = of('/p', 'a=1')
    for (const line of [`x-timestamp=2026-01-01T00:00:00Z canonical: ${plain}`, `${plain} (x-timestamp=1)`]) {
      expect(await compare(plain, line)).toMatchObject({ causes: [{ cause: 'copied-text' }] })
    }
  })

  it('accepts bytes in every kind of view', async () => {
    const text = '{"a":1}x'
    const { buffer } = new TextEncoder().encode(text)
    const whole = await compare(post(text), '')
    for (const body of [new DataView(buffer), new Uint16Array(buffer), new Uint8Array(buffer)]) {
      expect(await compare(post(body as never), '')).toEqual(whole)
    }
  })

  it('rejects a query that is a sparse array', async () => {
    const query: [string, string][] = []
    query[1] = ['a', '1']
    const captured = { host: 'h.example', path: '/', headers: HEADERS, query }
    const error: unknown = await compare(captured, '').catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_INPUT_INVALID') && error.details.field).toBe('query')
  })

  it('compares long strings fast, even if they are built to be slow', async () => {
    const many = 80_000
    const names = `/p&${'%7A'.repeat(many)}=1&${'a=&'.repeat(many)}`
    expect(await compare(names, '/p&a=')).toMatchObject({ name: '%7A'.repeat(many) })
    const filler = 'Z'.repeat(many)
    expect(await compare(filler.repeat(4), `${filler}x-timestamp=${filler}`)).toMatchObject({ part: 'path' })
  })

  it('has a result for any two strings', async () => {
    for (const [ours, theirs] of [
      ['', 'x'],
      ['&', '=&='],
      ['%', '%26%'],
      ['a&b', 'a&c'],
    ] as const) {
      const comparison = await compare(ours, theirs)
      expect(comparison.equal || comparison.causes.length > 0).toBe(true)
    }
  })
})

/** Each step of a signature, as data and as text, for the example of the documentation and for special cases. */
import { createSigner, explain, isSignerError } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { signUrl } from './test/sign-url.ts'
import { fromHex, HTTP_VECTORS, STREAM_VECTORS } from './test/vectors.ts'

const headersOf = (vector: { appKey: string; algorithm: string; nonce: string; timestamp: string }) => ({
  'x-app-key': vector.appKey,
  'x-signature-algorithm': vector.algorithm,
  'x-signature-nonce': vector.nonce,
  'x-timestamp': vector.timestamp,
})

describe('explain', () => {
  it('shows the documented example', async () => {
    const [vector] = HTTP_VECTORS.documented
    if (vector === undefined) throw new Error('no vector')
    const { host, path, query, body } = vector
    const explanation = await explain({ host, path, query, body: body ?? '', headers: headersOf(vector) })
    expect(explanation.path).toBe('/trade/place_order')
    expect(explanation.entries.map(({ name, source }) => `${name} ${source}`)).toEqual([
      'a1 query',
      'a2 query',
      'a3 query',
      'host header',
      'q1 query',
      'x-app-key header',
      'x-signature-algorithm header',
      'x-signature-nonce header',
      'x-signature-version header',
      'x-timestamp header',
    ])
    expect(explanation.digest).toEqual({
      algorithm: 'MD5',
      bytes: 75,
      hex: 'E296C96787E1A309691CEF3692F5EEDD',
    })
    expect(explanation.canonical).toBe(vector.canonical)
    expect(decodeURIComponent(explanation.encoded)).toBe(vector.canonical)
    expect(explanation.text).toContain('a1=webull   (query)')
    expect(explanation.text).not.toContain(vector.appSecret)
    expect(explanation.text.split('\n')).toHaveLength(14)
  })

  it('has the whole explanation as text', async () => {
    const headers = {
      'x-app-key': 'k',
      'x-signature-algorithm': 'HMAC-SHA1',
      'x-signature-nonce': '0',
      'x-timestamp': 't',
    }
    const request = await explain({ host: 'h', path: '/', query: [['a', ' ']], headers, body: '{}' })
    const digest = '99914B932BD37A50B983C5E7C90AE93B'
    const entries = [
      'a= ',
      'host=h',
      'x-app-key=k',
      'x-signature-algorithm=HMAC-SHA1',
      'x-signature-nonce=0',
      'x-signature-version=1.0',
      'x-timestamp=t',
    ]
    const joined = `/&${entries.join('&')}&${digest}`
    expect(request.text.split('\n')).toEqual([
      'path        /',
      ...entries.map((text, i) => `entry ${i + 1}     ${text}   (${i === 0 ? 'query' : 'header'})`),
      `digest      ${digest}   (MD5 of 2 bytes)`,
      `joined      ${joined}`,
      `encoded     ${encodeURIComponent(joined)}`,
    ])
    const stream = await explain({ headers, requestBytes: new Uint8Array() })
    const lines = stream.text.split('\n')
    expect(lines[0]).toBe('stream      no path, entries joined with =')
    expect(lines[6]).toBe('digest      d41d8cd98f00b204e9800998ecf8427e   (MD5 of 0 bytes)')
    expect(lines[7]).toBe(`joined      ${stream.canonical}`)
  })

  it('has entries that join to the canonical string, for every vector', async () => {
    for (const vector of Object.values(HTTP_VECTORS).flat()) {
      const { host, path, query, body } = vector
      const explanation = await explain({
        host,
        path,
        query,
        body: body ?? undefined,
        headers: headersOf(vector),
      })
      const texts = explanation.entries.map(({ text }) => text)
      const digest = explanation.digest ? [explanation.digest.hex] : []
      expect([explanation.path, ...texts, ...digest].join('&')).toBe(vector.canonical)
      expect(explanation.canonical).toBe(vector.canonical)
    }
  })

  it('explains the opening of a stream', async () => {
    for (const vector of Object.values(STREAM_VECTORS).flat()) {
      const requestBytes = fromHex(vector.requestHex)
      const explanation = await explain({ headers: headersOf(vector), requestBytes })
      expect(explanation.path).toBeUndefined()
      expect(explanation.canonical).toBe(vector.canonical)
      expect(explanation.digest?.bytes).toBe(requestBytes.length)
    }
  })

  it('shows the sources of a shared entry, and that there is no body', async () => {
    const { headers } = await signUrl(createSigner({ appKey: 'k', appSecret: 's' }), { url: 'https://h/' })
    const url = 'https://h.example/p?host=zz&a=1&a=0'
    const explanation = await explain({ url, headers, headerCollision: 'header-first' })
    expect(explanation.entries.slice(0, 2)).toEqual([
      { name: 'a', source: 'query', text: 'a=0&1' },
      { name: 'host', source: 'header and query', text: 'host=h.example&zz' },
    ])
    expect(explanation.digest).toBeUndefined()
    expect(explanation.text).toContain('none: no body')
  })

  it.each<[why: string, change: object, field: string]>([
    ['a lone surrogate in the query', { query: [['a', '\ud800']] }, 'the canonical string'],
    ['a lone surrogate in the app key', { appKey: '\udc00' }, 'the canonical string'],
    ['a query that is text', { query: 'a=1' }, 'query'],
    ['a query of numbers', { query: { a: 1 } }, 'query'],
    ['an incomplete pair', { query: [['a', '1'], ['b']] }, 'query'],
    ['a pair that is text', { query: ['ab'] }, 'query'],
    ['a name that is not a string', { query: [[1, 'a']] }, 'query'],
  ])('rejects %s', async (_why, change, field) => {
    const signer = createSigner({ appKey: 'k', appSecret: 's' })
    const { headers } = await signUrl(signer, { url: 'https://h.example/' })
    const { appKey = 'k', ...others } = change as { appKey?: string }
    const named = { ...headers, 'x-app-key': appKey }
    const captured = { host: 'h.example', path: '/', headers: named, ...others }
    const error = await explain(captured).catch((reason: unknown) => reason)
    if (!isSignerError(error, 'SIGNER_INPUT_INVALID')) throw new Error('no SignerError', { cause: error })
    expect(error.details.field).toBe(field)
    expect(error.details.expected).toContain('without lone surrogates')
  })

  it('escapes line breaks and control characters', async () => {
    const signer = createSigner({ appKey: 'k', appSecret: 's' })
    const url = 'https://h.example/p?x=1%0Aentry%202%20%20%20%20%20x-fake=1%1B%5B31m%C2%85%E2%80%A8'
    const { headers } = await signUrl(signer, { url })
    const { canonical, entries, text } = await explain({ url, headers })
    expect(canonical).toContain('x=1\nentry 2')
    expect(entries.some((entry) => entry.text.includes('\u001b[31m'))).toBe(true)
    expect(text.split('\n').filter((each) => each.startsWith('entry 2'))).toHaveLength(1)
    expect(text).toContain('x=1\\u{a}entry 2     x-fake=1\\u{1b}[31m\\u{85}\\u{2028}')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
    expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/)
  })
})

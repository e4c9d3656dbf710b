/**
 * The signed string and the sent URL for each kind of URL, with the reason. The rule: the signer signs
 * exactly the content of the request line, and rejects everything that a request line cannot contain.
 */
import { createSigner, isSignerError, type SignInput } from '@brokerwire/signer'
import { describe, expect, it } from 'vitest'
import { signUrl, type UrlRequest } from './test/sign-url.ts'

const signer = createSigner({ appKey: 'k', appSecret: 's', now: () => 0, nonce: () => '0'.repeat(32) })

/** The canonical string without the parts that are the same in all tests. */
async function signed(input: SignInput | UrlRequest): Promise<[canonical: string, url: string]> {
  const { canonical, url } = await ('path' in input ? signer.sign(input) : signUrl(signer, input))
  const fixed =
    '&x-app-key=k&x-signature-algorithm=HMAC-SHA1' +
    `&x-signature-nonce=${'0'.repeat(32)}&x-signature-version=1.0&x-timestamp=1970-01-01T00:00:00Z`
  expect(canonical).toContain(fixed)
  return [canonical.replace(fixed, ''), url]
}

describe('URLs that are signed', () => {
  it.each<[why: string, url: string, canonical: string, sent: string]>([
    ['plain', 'https://h.example/p?b=2&a=1', '/p&a=1&b=2&host=h.example', 'https://h.example/p?a=1&b=2'],
    [
      'no path: a request line has at least a slash',
      'https://h.example',
      '/&host=h.example',
      'https://h.example/',
    ],
    ['no path, a query', 'https://h.example?a=1', '/&a=1&host=h.example', 'https://h.example/?a=1'],
    ['an empty query is no query', 'https://h.example/p?', '/p&host=h.example', 'https://h.example/p'],
    [
      'empty pairs are ignored',
      'https://h.example/p?&a=1&&',
      '/p&a=1&host=h.example',
      'https://h.example/p?a=1',
    ],
    [
      'a fragment is never sent',
      'https://h.example/p?a=1#f?x=1',
      '/p&a=1&host=h.example',
      'https://h.example/p?a=1',
    ],
    ['a fragment right after the host', 'https://h.example#f', '/&host=h.example', 'https://h.example/'],
    ['default port of https', 'https://h.example:443/p', '/p&host=h.example', 'https://h.example/p'],
    ['default port of http', 'http://h.example:80/p', '/p&host=h.example', 'http://h.example/p'],
    [
      'port 80 is not the default of https',
      'https://h.example:80/p',
      '/p&host=h.example:80',
      'https://h.example:80/p',
    ],
    [
      'port 443 is not the default of http',
      'http://h.example:443/p',
      '/p&host=h.example:443',
      'http://h.example:443/p',
    ],
    ['another port', 'https://h.example:8443/p', '/p&host=h.example:8443', 'https://h.example:8443/p'],
    [
      'a port that ends like a default one',
      'https://h.example:8443/443',
      '/443&host=h.example:8443',
      'https://h.example:8443/443',
    ],
    ['an empty port', 'https://h.example:/p', '/p&host=h.example', 'https://h.example/p'],
    ['IPv6', 'https://[::1]/p', '/p&host=[::1]', 'https://[::1]/p'],
    ['IPv6 with default port', 'https://[::1]:443/p', '/p&host=[::1]', 'https://[::1]/p'],
    ['IPv6 with another port', 'http://[::1]:8080/p', '/p&host=[::1]:8080', 'http://[::1]:8080/p'],
    ['IPv6 as fetch shortens it', 'https://[0:0::1]/p', '/p&host=[::1]', 'https://[::1]/p'],
    ['IPv4 as fetch writes it', 'https://127.1/p', '/p&host=127.0.0.1', 'https://127.0.0.1/p'],
    [
      'scheme and host in capitals: fetch sends lower case',
      'HTTPS://H.Example/P',
      '/P&host=h.example',
      'https://h.example/P',
    ],
    [
      'dot segments stay: the request line is sent as it was signed',
      'https://h.example/a/../b/./c',
      '/a/../b/./c&host=h.example',
      'https://h.example/a/../b/./c',
    ],
    [
      'doubled slashes stay',
      'https://h.example//a//b/',
      '//a//b/&host=h.example',
      'https://h.example//a//b/',
    ],
    [
      'an encoded path is signed encoded',
      'https://h.example/a%20b/%e4%b8%ad',
      '/a%20b/%e4%b8%ad&host=h.example',
      'https://h.example/a%20b/%e4%b8%ad',
    ],
    ['& and = in the path', 'https://h.example/a&b=c', '/a&b=c&host=h.example', 'https://h.example/a&b=c'],
    ['@ and : in the path', 'https://h.example/a@b:c', '/a@b:c&host=h.example', 'https://h.example/a@b:c'],
    ['+ is a space', 'https://h.example/p?a=1+2', '/p&a=1 2&host=h.example', 'https://h.example/p?a=1%202'],
    [
      '%20 is a space',
      'https://h.example/p?a=1%202',
      '/p&a=1 2&host=h.example',
      'https://h.example/p?a=1%202',
    ],
    [
      '%2B is a plus',
      'https://h.example/p?a=1%2B2',
      '/p&a=1+2&host=h.example',
      'https://h.example/p?a=1%2B2',
    ],
    ['%2b too', 'https://h.example/p?a=1%2b2', '/p&a=1+2&host=h.example', 'https://h.example/p?a=1%2B2'],
    ['+ in the path is a plus', 'https://h.example/1+2', '/1+2&host=h.example', 'https://h.example/1+2'],
    [
      'a name without = has an empty value',
      'https://h.example/p?a&b=',
      '/p&a=&b=&host=h.example',
      'https://h.example/p?a=&b=',
    ],
    ['an empty name', 'https://h.example/p?=x', '/p&=x&host=h.example', 'https://h.example/p?=x'],
    [
      'only the first = separates',
      'https://h.example/p?a=b=c',
      '/p&a=b=c&host=h.example',
      'https://h.example/p?a=b%3Dc',
    ],
    [
      'repeated names share an entry, values sorted',
      'https://h.example/p?a=2&a=1',
      '/p&a=1&2&host=h.example',
      'https://h.example/p?a=1&a=2',
    ],
    [
      'an encoded separator is a value',
      'https://h.example/p?a=1%26b=2',
      '/p&a=1&b=2&host=h.example',
      'https://h.example/p?a=1%26b%3D2',
    ],
    [
      'a malformed escape is literal text, as form decoding has it',
      'https://h.example/p?a=100%&b=%zz',
      '/p&a=100%&b=%zz&host=h.example',
      'https://h.example/p?a=100%25&b=%25zz',
    ],
    [
      'half an escape too',
      'https://h.example/p?a=%4z',
      '/p&a=%4z&host=h.example',
      'https://h.example/p?a=%254z',
    ],
    [
      'UTF-8 escapes',
      'https://h.example/p?%E4%BB%B7=%F0%9F%98%80',
      '/p&host=h.example&价=😀',
      'https://h.example/p?%E4%BB%B7=%F0%9F%98%80',
    ],
    [
      "! ' ( ) * are encoded",
      "https://h.example/p?a=!'()*",
      "/p&a=!'()*&host=h.example",
      'https://h.example/p?a=%21%27%28%29%2A',
    ],
    [
      'a query in the query',
      'https://h.example/p?u=/x?y',
      '/p&host=h.example&u=/x?y',
      'https://h.example/p?u=%2Fx%3Fy',
    ],
  ])('include: %s', async (_why, url, canonical, sent) => {
    expect(await signed({ url })).toEqual([canonical, sent])
  })

  it('puts names before, between and after the headers', async () => {
    const { canonical, url } = await signUrl(signer, { url: 'https://h.example/p?z=1&x-b=2&A=3' })
    expect(canonical.replace(/=[^&]*/g, '')).toBe(
      '/p&A&host&x-app-key&x-b&x-signature-algorithm&x-signature-nonce&x-signature-version&x-timestamp&z',
    )
    expect(url).toBe('https://h.example/p?A=3&x-b=2&z=1')
  })
})

describe('URLs that are rejected', () => {
  it.each<[why: string, url: string]>([
    ['relative: there is no host to sign', '/p?a=1'],
    ['protocol-relative', '//h.example/p'],
    ['no authority', 'https:/p'],
    ['empty authority', 'https:///p'],
    ['another scheme', 'ftp://h.example/p'],
    ['a web socket', 'wss://h.example/p'],
    ['user name and password: they would end up in logs', 'https://user:pass@h.example/p'],
    ['a user name alone', 'https://user@h.example/p'],
    ['an empty user name', 'https://@h.example/p'],
    ['a template that was not filled in', 'https://h.example/orders/{id}'],
    ['a caret, which some hosts rewrite', 'https://h.example/a^b'],
    ['angle brackets', 'https://h.example/<a>'],
    ['a quotation mark', 'https://h.example/a"b'],
    ['a backquote', 'https://h.example/a`b'],
    ['a space', 'https://h.example/a b'],
    ['a space in front, which fetch would drop', ' https://h.example/'],
    ['a line break, which fetch would drop', 'https://h.example/a\r\nb'],
    ['non-ASCII in the path: percent-encode it', 'https://h.example/é'],
    ['non-ASCII in the query', 'https://h.example/p?a=é'],
    ['non-ASCII in the host: write Punycode', 'https://bücher.example/'],
    ['a backslash, which fetch would turn into a slash', 'https://h.example\\p'],
    ['an invalid host', 'https://[::1/p'],
    ['an invalid port', 'https://h.example:99999/p'],
    ['escapes that are not UTF-8: they decode to no string', 'https://h.example/p?a=%ff'],
    ['half of a UTF-8 sequence', 'https://h.example/p?a=%e4%b8'],
    ['an empty string', ''],
  ])('include: %s', async (_why, url) => {
    const error: unknown = await signUrl(signer, { url }).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_TARGET_INVALID')).toBe(true)
    if (url.length > 3) expect(String(error)).not.toContain(url)
    expect(String(error)).not.toContain('pass')
  })

  it.each<[why: string, url: unknown]>([
    ['a number', 5],
    ['null', null],
    ['an object', {}],
  ])('include: %s', async (_why, url) => {
    const error: unknown = await signUrl(signer, { url } as never).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_TARGET_INVALID')).toBe(true)
  })
})

describe('host, path and query', () => {
  it('are signed unchanged', async () => {
    const query = [
      ['q', 'a b'],
      ['é', '+'],
    ] as const
    expect(await signed({ host: 'h.example:8443', path: '/a/../b', query })).toEqual([
      '/a/../b&host=h.example:8443&q=a b&é=+',
      'https://h.example:8443/a/../b?q=a%20b&%C3%A9=%2B',
    ])
  })

  it('are signed without the default port of the scheme', async () => {
    expect((await signed({ host: 'h.example:443', path: '/' }))[0]).toBe('/&host=h.example')
    expect((await signed({ host: 'h.example:80', path: '/' }))[0]).toBe('/&host=h.example:80')
    expect((await signed({ host: 'h.example:80', path: '/', scheme: 'http' }))[0]).toBe('/&host=h.example')
    expect((await signed({ host: '[::1]:80', path: '/', scheme: 'http' }))[0]).toBe('/&host=[::1]')
  })

  it.each<[why: string, input: object]>([
    ['a host', { host: Object.create(null), path: '/' }],
    ['a symbol as the host', { host: Symbol('h'), path: '/' }],
    ['a symbol as the scheme', { host: 'other.example', path: '/', scheme: Symbol('https') }],
    ['a symbol as the origin', { host: 'h.example', path: '/', origin: Symbol('http://h') }],
    ['an origin', { host: 'h.example', path: '/', origin: Object.create(null) }],
    ['a symbol as the path', { host: 'h.example', path: Symbol('/') }],
    ['a path', { host: 'h.example', path: Object.create(null) }],
  ])('%s that cannot become a text is refused, whatever was signed before', async (_why, input) => {
    for (let call = 0; call < 2; call += 1) {
      const error = await signer.sign(input as SignInput).catch((reason: unknown) => reason)
      expect(isSignerError(error, 'SIGNER_TARGET_INVALID')).toBe(true)
    }
    expect((await signed({ host: 'h.example', path: '/' }))[0]).toBe('/&host=h.example')
    const again = await signer.sign(input as SignInput).catch((reason: unknown) => reason)
    expect(isSignerError(again, 'SIGNER_TARGET_INVALID')).toBe(true)
  })

  it.each<[why: string, input: object]>([
    ['no host', { path: '/' }],
    ['an empty host', { host: '', path: '/' }],
    ['a lone surrogate in the path', { host: 'h', path: '/\ud800' }],
    ['a host with a path', { host: 'h/p', path: '/' }],
    ['a host with a slash behind it', { host: 'h/', path: '/a' }],
    ['a host with a slash before it', { host: '/h', path: '/a' }],
    ['a host with a backslash', { host: 'h\\', path: '/a' }],
    ['a host with dot segments', { host: 'h/..', path: '/a' }],
    ['a host with a tab', { host: 'h\t', path: '/a' }],
    ['a host with a line break', { host: 'h\n', path: '/a' }],
    ['a host with a blank behind it', { host: 'h ', path: '/a' }],
    ['an empty user name', { host: '@h', path: '/' }],
    ['an empty user name and password', { host: ':@h', path: '/' }],
    ['a host with a user name', { host: 'u@h', path: '/' }],
    ['a host with a query', { host: 'h?', path: '/' }],
    ['a host with a fragment', { host: 'h#', path: '/' }],
    ['a bare IPv6 address', { host: '::1', path: '/' }],
    ['no path', { host: 'h' }],
    ['an empty path', { host: 'h', path: '' }],
    ['a relative path', { host: 'h', path: 'p' }],
    ['a relative path with a slash', { host: 'h', path: 'p/q' }],
    ['a path with a query: pairs belong into query', { host: 'h', path: '/p?a=1' }],
    ['a path with a fragment', { host: 'h', path: '/p#f' }],
    ['a path with a line feed', { host: 'h', path: '/p\n' }],
    ['a path with a carriage return', { host: 'h', path: '/p\r/q' }],
    ['another scheme', { host: 'h', path: '/', scheme: 'ftp' }],
    ['a scheme that ends like ours', { host: 'h', path: '/', scheme: 'xhttps' }],
  ])('rejects %s', async (_why, input) => {
    const error: unknown = await signer.sign(input as never).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_TARGET_INVALID')).toBe(true)
  })

  it.each<[why: string, input: object]>([
    ['a lone surrogate in a value', { query: [['a', '\ud800']] }],
    ['a lone surrogate in a name', { query: [['\udc00', 'a']] }],
    ['a pair with more than a value', { query: [['x-a', '1', true]] }],
    ['pairs that are undefined', { query: [undefined, undefined] }],
    ['a query that is a number', { query: 5 }],
  ])('rejects %s', async (_why, input) => {
    const whole = { host: 'h', path: '/', ...input }
    const error: unknown = await signer.sign(whole as never).catch((reason: unknown) => reason)
    expect(isSignerError(error, 'SIGNER_INPUT_INVALID')).toBe(true)
  })

  it.each([
    [
      'pairs',
      [
        ['b', '2'],
        ['a', '1 2'],
        ['b', '1'],
      ],
    ],
    ['a record', { b: ['2', '1'], a: '1 2', left: undefined }],
    ['a URLSearchParams', new URLSearchParams('b=2&a=1+2&b=1')],
  ] as const)('signs and sends a query of %s', async (_form, query) => {
    expect(await signed({ host: 'h', path: '/', query })).toEqual([
      '/&a=1 2&b=1&2&host=h',
      'https://h/?a=1%202&b=1&b=2',
    ])
  })

  it('are signed correctly after an invalid host', async () => {
    await expect(signer.sign({ host: 'u@h', path: '/' })).rejects.toThrow()
    await expect(signer.sign({ host: 'u@h', path: '/' })).rejects.toThrow()
    expect((await signed({ host: 'h', path: '/' }))[0]).toBe('/&host=h')
  })
})

describe('the URL to send', () => {
  it('has the signed host', async () => {
    expect((await signed({ host: 'API.Example.COM:443', path: '/P' }))[1]).toBe('https://api.example.com/P')
    expect((await signed({ host: 'B\u00fccher.example', path: '/' }))[1]).toBe(
      'https://xn--bcher-kva.example/',
    )
  })

  it('has the given origin, or that of the URL as fetch sends it', async () => {
    const input = { host: 'api.example.com', path: '/', origin: 'http://localhost:1' } as const
    expect(await signed(input)).toEqual(['/&host=api.example.com', 'http://localhost:1/'])
    const url = 'HTTPS://API.Example.com:443/p'
    expect((await signed({ url }))[1]).toBe('https://api.example.com/p')
    expect((await signed({ url, host: 'gateway.example' }))[1]).toBe('https://api.example.com/p')
  })
})

describe('the host option, for gateways that set their own', () => {
  it('signs that host and sends to the URL', async () => {
    expect(await signed({ url: 'http://127.0.0.1:9/p?a=1', host: 'api.example.com' })).toEqual([
      '/p&a=1&host=api.example.com',
      'http://127.0.0.1:9/p?a=1',
    ])
  })
})

import { afterEach, describe, expect, test } from 'vitest'
import { readOrigin } from './origin.ts'

const fail = (option: string, expected: string, received: string): Error =>
  new Error(`${option} must be ${expected}; received ${received}`)

describe('an origin as an option', () => {
  test.each([
    ['HTTPS://Example.com:443/', 'https://example.com'],
    ['https://example.com:8443', 'https://example.com:8443'],
    ['https://example.com:80', 'https://example.com:80'],
    ['https://xn--zrich-kva.example', 'https://xn--zrich-kva.example'],
    ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.10.0.1:80', 'http://127.10.0.1'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://LOCALHOST:8080/', 'http://localhost:8080'],
  ])('%s comes out as it is sent', (value, origin) => {
    expect(readOrigin(fail, 'url', value)).toBe(origin)
    expect(readOrigin(fail, 'url', origin)).toBe(origin)
  })

  test.each([
    ['', 'an empty string'],
    [7, '7'],
    [['https://example.com'], 'an array'],
    [new URL('https://example.com'), 'an object'],
    ['example.com', 'no URL'],
    ['//example.com', 'no URL'],
    ['http://example.com', 'http: on another host'],
    ['http://0.0.0.0', 'http: on another host'],
    ['http://[::]', 'http: on another host'],
    ['http://10.0.0.1', 'http: on another host'],
    ['http://127.0.0.1.example.com', 'http: on another host'],
    ['http://localhost.example.com', 'http: on another host'],
    ['http://[::ffff:127.0.0.1]', 'another spelling'],
    ['ftp://example.com', 'another scheme'],
    ['https://user:hunter2@example.com', 'credentials'],
    ['https://hunter2@example.com', 'credentials'],
    ['https://example.com/path', 'a path'],
    ['https://example.com//', 'a path'],
    ['https://example.com?a=hunter2', 'a query'],
    ['https://example.com#hunter2', 'a fragment'],
    ['https://h\\evil', 'a path'],
  ])('%j is refused by name, without showing it', (value, received) => {
    const refuse = (): string => readOrigin(fail, 'url', value)
    expect(refuse).toThrow(/^url must be an (https: )?origin/)
    expect(refuse).toThrow(received)
    expect(refuse).not.toThrow(/hunter2|evil/)
  })

  test.each([
    'https:\\\\h',
    'https:\\/h',
    'https:/h',
    'https:h',
    'https:///h',
    'https://h\\',
    'https://h/.',
    'https://h/..',
    'https://h?',
    'https://h#',
    'https://@h',
    'https://:@h',
    'https://h:',
    'https://h:0443',
    'https://h:00',
    'https://ho\tst',
    'https://ho\nst',
    'ht\rtps://host',
    ' https://host',
    'https://host ',
    '\u0000https://host',
    'https://host\u001f',
    'https://ho\u00adst',
    'https://h%6fst',
    'https://h\u3002example',
    'https://ｈost',
    'https://\u212aelvin',
    'https://zürich.example',
    'https://ho\u200bst',
    'http://127.1',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://0177.0.0.1',
    'http://127.0.0.1.',
    'http://[0:0::1]',
    'https://[2001:DB8:0::1]',
  ])('%j is rejected, because URL would change the host or the text', (value) => {
    expect(() => readOrigin(fail, 'url', value)).toThrow(/^url must be an (https: )?origin/)
    expect(() => readOrigin(fail, 'url', value, true)).toThrow(/^url must be an (https: )?origin/)
  })
})

describe('clear text beyond loopback', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, 'allowInsecure')
  })

  test('needs an option of that name, which the error names', () => {
    expect(readOrigin(fail, 'url', 'http://0.0.0.0:8080', true)).toBe('http://0.0.0.0:8080')
    expect(readOrigin(fail, 'url', 'http://proxy.internal', true)).toBe('http://proxy.internal')
    for (const allowInsecure of [undefined, false]) {
      expect(() => readOrigin(fail, 'url', 'http://proxy.internal', allowInsecure)).toThrow(
        'allowInsecure: true',
      )
    }
  })

  test.each(['true', 1, null, {}])('is not allowed by %j', (allowInsecure) => {
    expect(() => readOrigin(fail, 'url', 'http://h', allowInsecure as never)).toThrow(
      'allowInsecure must be true or false',
    )
  })

  test('is not allowed by a property of Object.prototype', () => {
    Object.assign(Object.prototype, { allowInsecure: true })
    expect(() => readOrigin(fail, 'url', 'http://example.com')).toThrow('http: on another host')
  })
})

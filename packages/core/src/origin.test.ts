import { describe, expect, test } from 'vitest'
import { readOrigin } from './origin.ts'

const fail = (option: string, expected: string, received: string): Error =>
  new Error(`${option}: expected ${expected}, got ${received}`)

describe('an origin as an option', () => {
  test('comes out as it is sent', () => {
    expect(readOrigin(fail, 'url', 'HTTPS://Example.com:443/')).toBe('https://example.com')
    expect(readOrigin(fail, 'url', 'https://example.com:8443')).toBe('https://example.com:8443')
    expect(readOrigin(fail, 'url', 'http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080')
    expect(readOrigin(fail, 'url', 'http://[::1]:8080')).toBe('http://[::1]:8080')
  })

  test.each([
    ['', 'an empty string'],
    [7, 'a number'],
    ['example.com', 'no URL'],
    ['http://example.com', 'not loopback'],
    ['http://127.0.0.1.example.com', 'not loopback'],
    ['ftp://example.com', 'another scheme'],
    ['https://user:hunter2@example.com', 'credentials'],
    ['https://example.com/path', 'a path'],
    ['https://example.com?a=hunter2', 'a query'],
  ])('%j is refused by name, without showing it', (value, received) => {
    const refuse = (): string => readOrigin(fail, 'url', value)
    expect(refuse).toThrow(/^url: expected an origin/)
    expect(refuse).toThrow(received)
    expect(refuse).not.toThrow('hunter2')
  })
})

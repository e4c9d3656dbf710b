import { describe, expect, test } from 'vitest'
import { parseFetchError } from './fetch-error.ts'

describe('whether a request was sent', () => {
  const connect = { code: 'ECONNREFUSED', syscall: 'connect' }
  test.each([
    [{ cause: connect }, false, 'ECONNREFUSED'],
    [{ cause: { code: 'ENOTFOUND', syscall: 'getaddrinfo' } }, false, 'ENOTFOUND'],
    [{ cause: { code: 'ECONNREFUSED', errors: [connect, connect] } }, false, 'ECONNREFUSED'],
    [{ cause: { code: 'ECONNRESET', syscall: 'read' } }, true, 'ECONNRESET'],
    [{ cause: { code: 'EHOSTUNREACH', syscall: 'read' } }, true, 'EHOSTUNREACH'],
    [{ cause: { code: 'UND_ERR_SOCKET' } }, true, 'UND_ERR_SOCKET'],
    [new TypeError('token hunter2'), true, 'TypeError'],
    [{ name: 'hunter2 with blanks', code: 'has blanks' }, true, 'unknown'],
    [{ cause: { code: 'ERR_SSL_WRONG_VERSION_NUMBER' } }, true, 'ERR_SSL_WRONG_VERSION_NUMBER'],
    [{ cause: { code: 'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC' } }, true, 'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC'],
    [{ name: 'TimeoutError', code: '0123456789abcdef0123456789abcdef' }, true, 'TimeoutError'],
    [{ code: 'eyJhbGciOiJIUzI1NiJ9' }, true, 'unknown'],
    [{ name: 'hunter2' }, true, 'unknown'],
    [{ code: 'A'.repeat(49) }, true, 'unknown'],
    ['hunter2', true, 'unknown'],
    [undefined, true, 'unknown'],
  ])('%j', (thrown, isSent, code) => {
    expect(parseFetchError(thrown)).toEqual({ isSent, code })
  })

  test('an error thrown by a getter is ignored', () => {
    const hostile = {
      get code(): string {
        throw new Error('hunter2')
      },
    }
    expect(parseFetchError(hostile)).toEqual({ isSent: true, code: 'unknown' })
  })

  test('a circular chain of causes ends', () => {
    const error: { cause?: unknown } = {}
    error.cause = error
    expect(parseFetchError(error)).toEqual({ isSent: true, code: 'unknown' })
  })
})

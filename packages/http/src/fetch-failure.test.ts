import { describe, expect, test } from 'vitest'
import { parseFetchFailure } from './fetch-failure.ts'

describe('whether a request was certainly not sent', () => {
  const connect = { code: 'ECONNREFUSED', syscall: 'connect' }
  test.each([
    [{ cause: connect }, true, 'ECONNREFUSED'],
    [{ cause: { code: 'ENOTFOUND', syscall: 'getaddrinfo' } }, true, 'ENOTFOUND'],
    [{ cause: { code: 'ECONNREFUSED', errors: [connect, connect] } }, true, 'ECONNREFUSED'],
    [{ cause: { code: 'ECONNRESET', syscall: 'read' } }, false, 'ECONNRESET'],
    [{ cause: { code: 'EHOSTUNREACH', syscall: 'read' } }, false, 'EHOSTUNREACH'],
    [{ cause: { code: 'UND_ERR_SOCKET' } }, false, 'UND_ERR_SOCKET'],
    [new TypeError('token hunter2'), false, 'TypeError'],
    [{ name: 'hunter2 with blanks', code: 'has blanks' }, false, 'unknown'],
    [{ cause: { code: 'ERR_SSL_WRONG_VERSION_NUMBER' } }, false, 'ERR_SSL_WRONG_VERSION_NUMBER'],
    [{ cause: { code: 'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC' } }, false, 'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC'],
    [{ name: 'TimeoutError', code: '0123456789abcdef0123456789abcdef' }, false, 'TimeoutError'],
    [{ code: 'eyJhbGciOiJIUzI1NiJ9' }, false, 'unknown'],
    [{ name: 'hunter2' }, false, 'unknown'],
    [{ code: 'A'.repeat(49) }, false, 'unknown'],
    ['hunter2', false, 'unknown'],
    [undefined, false, 'unknown'],
  ])('%j', (thrown, isCertainlyUnsent, code) => {
    expect(parseFetchFailure(thrown)).toEqual({ isCertainlyUnsent, isPermanent: false, code })
  })

  test('an error thrown by a getter is ignored', () => {
    const hostile = {
      get code(): string {
        throw new Error('hunter2')
      },
    }
    expect(parseFetchFailure(hostile)).toEqual({
      isCertainlyUnsent: false,
      isPermanent: false,
      code: 'unknown',
    })
  })

  test('a circular chain of causes ends', () => {
    const error: { cause?: unknown } = {}
    error.cause = error
    expect(parseFetchFailure(error)).toEqual({
      isCertainlyUnsent: false,
      isPermanent: false,
      code: 'unknown',
    })
  })
})

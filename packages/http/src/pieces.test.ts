/** The small pure parts, each at its edges. */
import { createRedactor } from '@brokerwire/core'
import { utf8Encode } from '@brokerwire/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readFetchFailure } from './fetch-failure.ts'
import { readHttpDate, readRetryAfter } from './http-date.ts'
import { HttpError } from './http-error.ts'
import { mayRepeat, repeatDelay } from './repeat.ts'
import { requestIdOf } from './request-id.ts'
import { readServiceError } from './service-error.ts'
import { versionOf } from './target.ts'

describe('Retry-After and Date', () => {
  const now = Date.UTC(2026, 0, 1)
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['', undefined],
    [null, undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['99999999999', 99_999_999_999_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
    ['Thu Jan  1 00:01:00 2026', 60_000],
    ['Thu Jan 1 00:01:00 2026', undefined],
    ['2027', 2_027_000],
    ['soon', undefined],
    ['Thu, 99 Jan 2026 00:01:00 GMT', undefined],
  ])('%j', (value, expected) => {
    expect(readRetryAfter(value, now)).toBe(expected)
  })

  test('only the form of HTTP is a date', () => {
    expect(readHttpDate('Thu, 01 Jan 2026 00:00:00 GMT', now)).toBe(now)
    const noDay = '123, 01 Jan 2026 00:00:00 GMT'
    for (const text of ['99999', '2026-01-01', 'Thu, 01 Jan 99999 00:00:00 GMT', noDay, undefined]) {
      expect(readHttpDate(text, now)).toBeNaN()
    }
  })

  test('the old forms are read, a year of two digits as the nearer one', () => {
    for (const text of ['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
      expect(readHttpDate(text, now)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37))
    }
    expect(readHttpDate('Friday, 01-Jan-76 00:00:00 GMT', now)).toBe(Date.UTC(2076, 0, 1))
    expect(readHttpDate('Friday, 01-Jan-77 00:00:00 GMT', now)).toBe(Date.UTC(1977, 0, 1))
    expect(readHttpDate('Mon, 01 Foo 2026 00:00:00 GMT', now)).toBeNaN()
  })
})

describe('whether a request left', () => {
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
    ['hunter2', true, 'unknown'],
    [undefined, true, 'unknown'],
  ])('%j', (thrown, sent, reason) => {
    expect(readFetchFailure(thrown)).toEqual({ sent, reason })
  })

  test('a getter that throws hides no failure', () => {
    const hostile = {
      get code(): string {
        throw new Error('hunter2')
      },
    }
    expect(readFetchFailure(hostile)).toEqual({ sent: true, reason: 'unknown' })
  })

  test('a chain that bites its tail ends', () => {
    const error: { cause?: unknown } = {}
    error.cause = error
    expect(readFetchFailure(error)).toEqual({ sent: true, reason: 'unknown' })
  })
})

describe('versions by path', () => {
  test('names of Object.prototype are paths like any other', () => {
    expect(versionOf('/constructor', {}, 'v2')).toBe('v2')
  })

  test('a prefix of / is every path', () => {
    expect(versionOf('/a', { '/': 'v3', '/a/': 'v2' }, 'v2')).toBe('v2')
    expect(versionOf('/b', { '/': 'v3', '/a/': 'v2' }, 'v2')).toBe('v3')
  })
})

describe('what the service says', () => {
  test('is read from any bytes without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => new TextEncoder().encode(text)),
        ),
        (bytes) => {
          const { code, message } = readServiceError(bytes, (text) => text)
          expect(code === undefined || (code !== '' && code.length <= 101)).toBe(true)
          expect(message === undefined || (message !== '' && message.length <= 501)).toBe(true)
        },
      ),
    )
  })

  test('never holds a secret, even where it is cut', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{8,40}$/), fc.nat(600), (secret, before) => {
        const text = JSON.stringify({ message: `${'.'.repeat(before)}${secret} and ${secret}` })
        const { message } = readServiceError(
          new TextEncoder().encode(text),
          createRedactor(['', secret, secret.slice(2)]),
        )
        expect(message).not.toContain(secret.slice(0, 6))
      }),
    )
  })
})

describe('invisible characters', () => {
  const hidden = [0, 0x0a, 0x1b, 0x7f, 0x85, 0x9b, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xd800]
  const marks = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff]
  test.each([...hidden, ...marks])('U+%s is an escape in code, message and request id', (point) => {
    const text = `a${String.fromCodePoint(point)}b`
    const shown = `a\\u{${point.toString(16)}}b`
    const body = utf8Encode(JSON.stringify({ error_code: text, message: text }))
    expect(readServiceError(body, (same) => same)).toMatchObject({ code: shown, message: shown })
    expect(requestIdOf({ get: () => text } as never, (same) => same)).toBe(shown)
  })
})

describe('repeats', () => {
  const error = (retryAfterMs?: number) =>
    new HttpError('HTTP_RATE_LIMITED', 'x', {
      details: {
        method: 'GET',
        path: '/',
        status: 429,
        serviceCode: undefined,
        serviceMessage: undefined,
        sentOnce: true,
        requestId: undefined,
        retryAfterMs,
      },
    })

  test('no wait is longer than allowed, and none is negative', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.option(fc.nat(200_000), { nil: undefined }),
        (attempt, maxDelayMs, random, retryAfterMs) => {
          const delay = repeatDelay(error(retryAfterMs), attempt, {
            maxRepeatDelayMs: maxDelayMs,
            random: () => random,
          })
          if (retryAfterMs !== undefined)
            expect(delay).toBe(retryAfterMs > maxDelayMs ? undefined : retryAfterMs)
          else expect(delay !== undefined && delay >= 0 && delay <= maxDelayMs).toBe(true)
        },
      ),
    )
  })

  test('never is never', () => {
    expect(mayRepeat('never', error(1))).toBe(false)
  })
})

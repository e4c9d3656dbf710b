import { createRedactor } from '@brokerwire/core'
import { utf8Encode } from '@brokerwire/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseServiceError, requestIdOf } from './classify.ts'

describe('an error body', () => {
  test('is read from any bytes without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => new TextEncoder().encode(text)),
        ),
        (bytes) => {
          const { code, message } = parseServiceError(bytes, (text) => text)
          expect(code === undefined || (code !== '' && code.length <= 101)).toBe(true)
          expect(message === undefined || (message !== '' && message.length <= 501)).toBe(true)
        },
      ),
    )
  })

  test('contains no secret, even if the text is truncated within one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{8,40}$/), fc.nat(600), (secret, before) => {
        const text = JSON.stringify({ message: `${'.'.repeat(before)}${secret} and ${secret}` })
        const { message } = parseServiceError(
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
    expect(parseServiceError(body, (same) => same)).toMatchObject({ code: shown, message: shown })
    expect(requestIdOf({ get: () => text } as never, (same) => same)).toBe(shown)
  })
})

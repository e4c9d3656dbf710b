/** Access tokens that become a header, and the messages for others. */
import { Secret } from '@brokerwire/core'
import { describe, expect, it } from 'vitest'
import { isTokenText, readToken } from './access-token.ts'

describe('a token', () => {
  it.each(['t', 'ab', 'a b', 'eyJhbGciOiJ.e30.x-_~='])('may be %j', (text) => {
    expect(isTokenText(text)).toBe(true)
    expect(readToken(text, 'accessToken', 'a function')).toBe(text)
    expect(readToken(new Secret(text), 'accessToken', 'a function')).toBe(text)
  })

  it.each(['', ' ', ' a', 'a ', 'a\n', 'a\nb', 'é', 'a\u007f'])('must not be %j', (text) => {
    expect(isTokenText(text)).toBe(false)
  })
})

const VISIBLE = 'accessToken must be a non-empty string or a Secret of visible ASCII, or a function'

describe('the message for an invalid token', () => {
  it.each<[value: unknown, message: string]>([
    [
      'secret\n',
      'accessToken must be without white space at its ends; received text with a line end at its end',
    ],
    [
      ' secret',
      'accessToken must be without white space at its ends; received text with white space at its start',
    ],
    ['sec\nret', VISIBLE],
    ['', `${VISIBLE}; received an empty string`],
    [undefined, `${VISIBLE}; received undefined`],
    [5, `${VISIBLE}; received a number`],
  ])('%j is not shown', (value, message) => {
    expect(() => readToken(value, 'accessToken', 'a function')).toThrow(
      expect.objectContaining({ code: 'SIGNER_OPTION_INVALID', message }),
    )
  })
})

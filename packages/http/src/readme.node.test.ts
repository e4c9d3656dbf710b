/** The tables of the README agree with the code. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { HttpError, type HttpErrorCode, type RetryRule } from './index.ts'
import { isRetryable } from './retry.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** All codes: a missing one is an error of the compiler. */
const ALL: Readonly<Record<HttpErrorCode, true>> = {
  HTTP_OPTION_INVALID: true,
  HTTP_HEADER_FORBIDDEN: true,
  HTTP_NOT_SENT: true,
  HTTP_NO_RESPONSE: true,
  HTTP_TIMEOUT: true,
  HTTP_UNAUTHORIZED: true,
  HTTP_CLOCK_IMPLAUSIBLE: true,
  HTTP_FORBIDDEN: true,
  HTTP_BUSINESS_ERROR: true,
  HTTP_CLIENT_ERROR: true,
  HTTP_RATE_LIMITED: true,
  HTTP_SERVER_ERROR: true,
  HTTP_REDIRECT: true,
  HTTP_RESPONSE_TOO_LARGE: true,
  HTTP_INVALID_RESPONSE: true,
}
const CODES = Object.keys(ALL) as HttpErrorCode[]

/** The cells of the rows whose first cell is `first`. */
function row(first: string): readonly string[] {
  const rows = readme.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.find((cells) => cells[1] === `\`${first}\``) ?? []
}

function failure(code: HttpErrorCode, retryAfterMs?: number): HttpError {
  return new HttpError(code, code, {
    details: { retryAfterMs, sentOnce: true } as never,
    retryable: row(code)[3] === 'yes',
  })
}

describe('the table of retries', () => {
  const columns: readonly (readonly HttpError[])[] = [
    [failure('HTTP_NOT_SENT')],
    [failure('HTTP_NO_RESPONSE'), failure('HTTP_TIMEOUT')],
    [failure('HTTP_SERVER_ERROR')],
    [failure('HTTP_RATE_LIMITED', 1000)],
    [failure('HTTP_RATE_LIMITED')],
  ]
  test.each(['always', 'unsent', 'never'] as const)('%s', (rule: RetryRule) => {
    const told = row(rule).slice(3, 8)
    const done = columns.map((errors) => errors.map((error) => (isRetryable(rule, error) ? 'yes' : 'no')))
    expect(told.map((cell, index) => done[index]?.map(() => cell))).toEqual(done)
  })

  test('nothing else, by any rule', () => {
    const listed = new Set(columns.flat().map(({ code }) => code))
    for (const code of CODES) {
      if (!listed.has(code)) expect(isRetryable('always', failure(code))).toBe(false)
    }
  })
})

test.each(CODES)('%s has a row', (code) => {
  expect(row(code)).toHaveLength(6)
})

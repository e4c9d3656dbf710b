/** The table of retries and the page of errors agree with the code. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { HttpError, type HttpErrorCode, type RetryRule } from './index.ts'
import { isRetryable } from './retry.ts'

const read = (path: string): string => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')
const guide = read('guides/http-requests.md')
const errors = read('reference/errors.md')

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

/** The cells of the row of the guide whose first cell is `first`. */
function row(first: string): readonly string[] {
  const rows = guide.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.find((cells) => cells[1] === `\`${first}\``) ?? []
}

/** The text after "Retry:" in the entry of a code. */
const documentedRetry = (code: HttpErrorCode): string | undefined =>
  errors.split(`\n### ${code}\n`)[1]?.match(/^- \*\*Retry:\*\* (.*)$/m)?.[1]

function failure(code: HttpErrorCode, retryAfterMs?: number): HttpError {
  return new HttpError(code, code, {
    details: { retryAfterMs, sentOnce: true } as never,
    retryable: documentedRetry(code)?.startsWith('yes') === true,
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

  test('no other failure is retried, by any rule', () => {
    const listed = new Set(columns.flat().map(({ code }) => code))
    for (const code of CODES) {
      if (!listed.has(code)) expect(isRetryable('always', failure(code))).toBe(false)
    }
  })
})

test.each(CODES)('%s has an entry that states whether to retry', (code) => {
  expect(documentedRetry(code)).toMatch(/^(yes|no|if )/)
})

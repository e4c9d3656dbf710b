import { expect, test } from 'vitest'
import { outcomeError } from './outcome-error.ts'

const rejected = (tokenSent: boolean): string | undefined =>
  outcomeError({ kind: 'auth-rejected', signal: 'status', status: 'unauthenticated', tokenSent })?.message

test('a refusal names the likeliest causes first: key and secret, account, clock, algorithm, token', () => {
  const causes = /app key and the app secret.*accounts.*clock.*streamAlgorithm/
  expect(rejected(false)).toMatch(new RegExp(`${causes.source}.*option accessTokens`))
  expect(rejected(true)).toMatch(new RegExp(`${causes.source}.*access token is usable`))
})

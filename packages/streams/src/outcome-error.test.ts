import { expect, test } from 'vitest'
import { outcomeError } from './outcome-error.ts'

const rejected = (status: 'permission_denied' | 'unauthenticated', tokenSent: boolean): string | undefined =>
  outcomeError({ kind: 'auth-rejected', signal: 'status', status, tokenSent }, undefined)?.message

test('an account that the app key may not see is named among the causes of PERMISSION_DENIED', () => {
  expect(rejected('permission_denied', false)).toContain('whether the app key may subscribe to this')
  expect(rejected('unauthenticated', false)).not.toContain('may subscribe')
})

test('a refusal names clock, algorithm and access token', () => {
  expect(rejected('unauthenticated', false)).toMatch(/clock.*streamAlgorithm.*option accessToken/)
  expect(rejected('unauthenticated', true)).toMatch(/clock.*streamAlgorithm.*access token is usable/)
})

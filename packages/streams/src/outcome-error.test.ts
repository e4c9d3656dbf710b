import { expect, test } from 'vitest'
import { outcomeError } from './outcome-error.ts'

const rejected = (tokenSent: boolean): string | undefined =>
  outcomeError({ kind: 'auth-rejected', signal: 'status', status: 'unauthenticated', tokenSent })?.message

test('the message of rejected credentials lists the likely causes: key and secret, account, clock, algorithm, token', () => {
  const causes = /app key and the app secret.*accounts.*clock.*streamAlgorithm/
  expect(rejected(false)).toMatch(new RegExp(`${causes.source}.*option accessTokens`))
  expect(rejected(true)).toMatch(new RegExp(`${causes.source}.*access token is usable`))
})

test.each([
  ['is', new Error('no key'), 'opening the stream failed while signing the request: no key'],
  ['is not', undefined, 'opening the stream failed while signing the request'],
])(
  'the message of a request that could not be sent states the reason if it %s known',
  (_, cause, message) => {
    expect(outcomeError({ kind: 'not-sent', step: 'signature', cause })).toMatchObject({
      code: 'STREAM_OPEN_FAILED',
      message,
      details: { step: 'signature' },
    })
  },
)

test.each([
  [undefined, 'the service refused the subscription: permission_denied'],
  ['not allowed', 'the service refused the subscription: permission_denied, "not allowed"'],
])('the message of a refusal has the status and the message of the service: %j', (serverMessage, message) => {
  const outcome = { kind: 'refused', status: 'permission_denied', serverMessage } as const
  expect(outcomeError(outcome)?.message).toBe(message)
})

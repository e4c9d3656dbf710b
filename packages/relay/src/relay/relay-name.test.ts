/** The name of a relay. */
import { expect, test } from 'vitest'
import { resolveRelayName } from './relay-name.ts'

test.each([
  ['team-1', 'team-1'],
  [{ env: 'HOSTNAME' }, 'relay-0-example-com'],
  [{ env: 'LONG' }, 'x'.repeat(64)],
  [undefined, expect.stringMatching(/^[A-Za-z0-9-]+-[0-9a-f]{8}$/)],
])('is resolved from %j', (name, expected) => {
  expect(resolveRelayName(name, { HOSTNAME: 'relay-0.example.com', LONG: 'x'.repeat(100) })).toEqual(expected)
})

test.each(['MISSING', 'EMPTY', 'constructor'])(
  'names an environment variable that has no name: %s',
  (env) => {
    expect(() => resolveRelayName({ env }, { EMPTY: '' })).toThrow(
      expect.objectContaining({
        code: 'RELAY_OPTION_INVALID',
        message: expect.stringContaining(`the environment variable ${env}`),
        details: expect.objectContaining({ option: 'config.name' }),
      }),
    )
  },
)

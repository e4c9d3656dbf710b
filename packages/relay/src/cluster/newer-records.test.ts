import { describe, expect, test } from 'vitest'
import { parseStreamRecord } from '../app/stream-record.ts'
import { parseAppRecord } from './app-record.ts'
import { parseMembers } from './members.ts'

describe('a record of a newer relay', () => {
  test.each([
    ['members', parseMembers],
    ['the owner of an app', parseAppRecord],
    ['a stream', parseStreamRecord],
  ])('rejects %s with the advice to update, not to remove it', (_, parse) => {
    expect(() => parse('relay/a/b', '{"v":2}')).toThrow(
      expect.objectContaining({
        code: 'RELAY_STATE_INVALID',
        message:
          'store key relay/a/b must have a value of format version 1; received version 2 of a newer relay. Update @brokerwire/relay here.',
      }),
    )
  })
})

/** The record of an app in the store. */
import { expect, test } from 'vitest'
import { parseAppRecord } from './app-record.ts'

test.each([
  '',
  '[]',
  '{"v":1}',
  '{"v":2,"holder":{"name":"a","incarnation":"b"},"state":"held","lingering":0}',
])('rejects a record of another program: %s', (text) => {
  expect(() => parseAppRecord('relay/main/key/a', text)).toThrow(
    expect.objectContaining({
      code: 'RELAY_STATE_INVALID',
      details: expect.objectContaining({ storeKey: 'relay/main/key/a' }),
    }),
  )
})

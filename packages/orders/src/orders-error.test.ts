import { expect, test } from 'vitest'
import { isOrdersError } from './index.ts'
import { optionFailure } from './orders-error.ts'

test('an error is recognized by its package and its code', () => {
  const error = optionFailure('store', 'an object', 'undefined')
  expect(isOrdersError(error, 'JOURNAL_OPTION_INVALID')).toBe(true)
  expect(isOrdersError(new Error('another'))).toBe(false)
})

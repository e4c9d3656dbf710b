import { expect, test } from 'vitest'
import { quoteNoticeLine } from '../listen/quote-line.ts'
import { noticeLine } from './notice-line.ts'

const notice = {
  type: 'notice',
  kind: 'reconnecting',
  atMs: 0,
  reason: 'status',
  status: 'not_found',
  message: undefined,
  host: undefined,
  systemCode: undefined,
  delayMs: 5000,
  attempt: 2,
  slotStillHeld: false,
} as const
const failed = {
  type: 'notice',
  kind: 'subscribe-failed',
  atMs: 0,
  connection: 1,
  code: 'SOMETHING_NEW',
  status: 417,
  message: undefined,
  delayMs: 5000,
} as const

test.each([
  [undefined, ''],
  [4, ', then 4 more'],
  [0, ', the last retry'],
])('a notice with %j retries left', (retriesLeft, text) => {
  const { text: line } = noticeLine('trade', { ...notice, retriesLeft }, false)
  expect(line).toBe(`trade stream: reconnecting in 5.0 s (status not_found)${text}`)
  expect(quoteNoticeLine({ ...failed, retriesLeft })).toBe(
    `subscribe failed: SOMETHING_NEW, retrying in 5000 ms${text}`,
  )
})

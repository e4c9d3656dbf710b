import { expect, test } from 'vitest'
import { closable } from './closable.ts'

test('close() and the disposal of a block are one function', async () => {
  let closed = 0
  const held = closable(async () => {
    closed += 1
  })
  await held.close()
  await held[Symbol.asyncDispose]()
  expect(closed).toBe(2)
})

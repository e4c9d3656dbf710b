import { expect, it } from 'vitest'
import { tell } from './tell.ts'

it('calls, at once', () => {
  let told = 0
  tell(() => {
    told += 1
  })
  expect(told).toBe(1)
})

it('drops what is thrown', () => {
  tell(() => {
    throw new Error('a bug')
  })
})

it('drops what a promise rejects with, and what a thenable throws', async () => {
  // An unhandled rejection would fail the run.
  tell(async () => {
    throw new Error('a bug')
  })
  tell(() => ({
    // biome-ignore lint/suspicious/noThenProperty: a thenable of somebody else
    then() {
      throw new Error('a bug')
    },
  }))
  await new Promise((resolve) => setTimeout(resolve, 0))
})

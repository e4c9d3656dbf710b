import { expect, it } from 'vitest'
import { notify } from './notify.ts'

it('calls, at once', () => {
  let calls = 0
  notify(() => {
    calls += 1
  })
  expect(calls).toBe(1)
})

it('drops what is thrown', () => {
  notify(() => {
    throw new Error('a bug')
  })
})

it('drops what a promise rejects with, and what a thenable throws', async () => {
  // An unhandled rejection would fail the run.
  notify(async () => {
    throw new Error('a bug')
  })
  notify(() => ({
    // biome-ignore lint/suspicious/noThenProperty: a thenable of another library
    then() {
      throw new Error('a bug')
    },
  }))
  await new Promise((resolve) => setTimeout(resolve, 0))
})

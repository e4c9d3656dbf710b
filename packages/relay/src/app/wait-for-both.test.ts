import { expect, test } from 'vitest'
import { waitForBoth } from './wait-for-both.ts'

test('keeps no values in a long chain', async () => {
  let chain = Promise.resolve()
  for (let link = 0; link < 3; link += 1) chain = waitForBoth(chain, Promise.resolve())
  expect(await chain).toBeUndefined()
})

test('rejects with the first error while the other promise is pending', async () => {
  const never = new Promise<void>(() => {})
  const failed = Promise.reject(new Error('of a test'))
  await expect(waitForBoth(never, failed)).rejects.toThrow('of a test')
})

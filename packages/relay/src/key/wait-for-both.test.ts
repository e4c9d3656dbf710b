import { expect, test } from 'vitest'
import { waitForBoth } from './wait-for-both.ts'

test('a chain of them held a value for each of its links, as long as the chain went on', async () => {
  let chain = Promise.resolve()
  for (let link = 0; link < 3; link += 1) chain = waitForBoth(chain, Promise.resolve())
  expect(await chain).toBeUndefined()
})

test('what fails first fails it at once, also while the other one goes on', async () => {
  const never = new Promise<void>(() => {})
  const failed = Promise.reject(new Error('of a test'))
  await expect(waitForBoth(never, failed)).rejects.toThrow('of a test')
})

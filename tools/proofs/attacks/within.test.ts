import { expect, test } from 'vitest'
import { within } from './within.ts'

test('what comes to an end is told, and so is its error', async () => {
  expect(await within(Promise.resolve('done'), 1000)).toBe('done')
  await expect(within(Promise.reject(new Error('failed')), 1000)).rejects.toThrow('failed')
})

test('what never ends hangs', async () => {
  expect(await within(new Promise(() => {}), 200)).toBe('hangs')
})

test('a process that did not run for longer than the limit is no hang', async () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const work = async (): Promise<string> => {
    for (let step = 0; step < 3; step += 1) {
      const endMs = performance.now() + 400
      while (performance.now() < endMs) {}
      await turn()
    }
    return 'slow'
  }
  expect(await within(work(), 600)).toBe('slow')
})

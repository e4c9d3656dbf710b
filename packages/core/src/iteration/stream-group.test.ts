import { expect, test } from 'vitest'
import { StreamGroup } from './stream-group.ts'

const closed = (): Error => new Error('too late')

function fakeStream() {
  const left: number[] = []
  return { left, return: async () => void left.push(1) }
}

test('closeAll() closes the open streams, and only those', async () => {
  const group = new StreamGroup()
  const [over, open] = [fakeStream(), fakeStream()]
  const forget = group.add(over, closed)
  group.add(open, closed)
  forget()
  await group.closeAll()
  expect([over.left.length, open.left.length]).toEqual([0, 1])
})

test('closeAll() waits for all streams, even if one of them fails', async () => {
  const group = new StreamGroup()
  let end = (): void => {}
  let hasEnded = false
  const slow = new Promise<void>((resolve) => {
    end = resolve
  })
  group.add({ return: () => Promise.reject(new Error('not written')) }, closed)
  group.add({ return: () => slow }, closed)
  const closing = group.closeAll().finally(() => {
    hasEnded = true
  })
  closing.catch(() => {})
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  expect(hasEnded).toBe(false)
  end()
  await expect(closing).rejects.toThrow('not written')
})

test('no stream can be added after closeAll()', async () => {
  const group = new StreamGroup()
  await group.closeAll()
  expect(() => group.add(fakeStream(), closed)).toThrow('too late')
})

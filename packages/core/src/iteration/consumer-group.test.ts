import { expect, test } from 'vitest'
import { ConsumerGroup } from './consumer-group.ts'

const closed = (): Error => new Error('too late')

function consumer() {
  const left: number[] = []
  return { left, return: async () => void left.push(1) }
}

test('closeAll() closes the open consumers, and only those', async () => {
  const group = new ConsumerGroup()
  const [over, open] = [consumer(), consumer()]
  const forget = group.add(over, closed)
  group.add(open, closed)
  forget()
  await group.closeAll()
  expect([over.left.length, open.left.length]).toEqual([0, 1])
})

test('a consumer that fails at its end let the others be cut off', async () => {
  const group = new ConsumerGroup()
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

test('afterwards none begins', async () => {
  const group = new ConsumerGroup()
  await group.closeAll()
  expect(() => group.add(consumer(), closed)).toThrow('too late')
})

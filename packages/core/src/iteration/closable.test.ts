import { expect, test } from 'vitest'
import { allClosed, closable } from './closable.ts'

test('close() and the disposal of a block are one function', async () => {
  let closed = 0
  const held = closable(async () => {
    closed += 1
  })
  await held.close()
  await held[Symbol.asyncDispose]()
  expect(closed).toBe(2)
})

test('allClosed() waits for all promises, also after a failure, and throws the first failure', async () => {
  const order: string[] = []
  let close = (): void => {}
  const slow = new Promise<void>((resolve) => {
    close = resolve
  }).then(() => order.push('slow'))
  const fails = [Promise.reject(new Error('first')), slow, Promise.reject(new Error('second'))]
  const closed = allClosed(fails).catch((error: Error) => order.push(error.message))
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  expect(order).toEqual([])
  close()
  await closed
  expect(order).toEqual(['slow', 'first'])
})

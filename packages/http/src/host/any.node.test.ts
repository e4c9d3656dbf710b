/** Hosts whose `fetch` gets an option, with their globals in place of the real ones. */
import { afterEach, expect, test, vi } from 'vitest'
import { createSendControl } from './any.ts'

afterEach(() => vi.unstubAllGlobals())

const throws = (): never => {
  throw new Error('not available')
}

test('a version of Deno that cannot create a client sends over a shared connection, and sentOnce is false', () => {
  for (const createHttpClient of [undefined, throws]) {
    vi.stubGlobal('Deno', { createHttpClient })
    const control = createSendControl(true, true)
    expect([control.init, control.isSentOnce()]).toEqual([undefined, false])
  }
})

test('the client of one request in Deno is closed, and an error of that is ignored', () => {
  const close = vi.fn(throws)
  vi.stubGlobal('Deno', { createHttpClient: () => ({ close }) })
  const control = createSendControl(true, true)
  expect(control.isSentOnce()).toBe(true)
  expect(() => control.release?.()).not.toThrow()
  expect(close).toHaveBeenCalledTimes(1)
})

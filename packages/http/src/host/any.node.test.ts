/** Hosts whose `fetch` gets an additional option. Their globals are replaced for the test. */
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
    expect(control.init).toBeUndefined()
    expect(control.isSentOnce()).toBe(false)
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

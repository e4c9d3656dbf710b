/** One signal for many requests, as for the shutdown of a server: Node must not warn of a leak. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { setUp } from './test/set-up.ts'

test('a signal that forty requests share at the same time gives no warning', async () => {
  const warnings: unknown[] = []
  const warn = (warning: unknown): void => {
    warnings.push(warning)
  }
  process.on('warning', warn)
  try {
    const { client, service } = await setUp()
    const { signal } = new AbortController()
    const get = (): Promise<unknown> => client.request({ method: 'GET', path: '/x', signal })
    await Promise.all(Array.from({ length: 40 }, get))
    expect(await service.received()).toHaveLength(40)
    // Warnings are emitted in a later tick. So all warnings of the requests come before this one.
    process.emitWarning('the end', 'EndOfTest')
    await once(process, 'warning')
    expect(warnings.map((warning) => (warning as Error).name)).toEqual(['EndOfTest'])
  } finally {
    process.off('warning', warn)
  }
})

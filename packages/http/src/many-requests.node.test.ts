/** One signal for many requests is ordinary use, a server's shutdown for example: Node must not call it a leak. */
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
    // Warnings are emitted a tick later, so that this warning is the last one.
    process.emitWarning('the end', 'EndOfTest')
    await once(process, 'warning')
    expect(warnings.map((warning) => (warning as Error).name)).toEqual(['EndOfTest'])
  } finally {
    process.off('warning', warn)
  }
})

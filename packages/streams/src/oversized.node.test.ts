/** Module events that are longer than `readMaxBytes`. */
import { createSigner } from '@brokerwire/signer'
import { startSimulator } from '@brokerwire/simulator'
import { expect, test } from 'vitest'
import { createStreams } from './create-streams.ts'
import { label, take } from './test/take.ts'

test('a module event above the limit is skipped with its length delivered, and the events after it arrive', async () => {
  await using simulator = await startSimulator()
  await using streams = createStreams({
    signer: createSigner(simulator.credentials),
    moduleEventsUrl: simulator.moduleEventsUrl,
    connection: { readMaxBytes: 4096, acceptCompression: [] },
  })
  const stream = streams.moduleEvents({ modules: ['application'] })
  await take(stream, 1)
  const first = simulator.emitModule({ module: 'application' })
  simulator.emitModule({ module: 'application', payload: { reason: 'x'.repeat(5000) } })
  const last = simulator.emitModule({ module: 'application' })
  const items = await take(stream, 3)
  expect(items.map(label)).toEqual([first.id, 'undecodable', last.id])
  expect(items[1]).toMatchObject({ reason: 'too-large', bytes: undefined })
})

test('the limit applies to the length after decompression', async () => {
  await using simulator = await startSimulator()
  await using streams = createStreams({
    signer: createSigner(simulator.credentials),
    moduleEventsUrl: simulator.moduleEventsUrl,
    connection: { readMaxBytes: 4096 },
  })
  const stream = streams.moduleEvents({ modules: ['application'] })
  await take(stream, 1)
  simulator.emitModule({ module: 'application', payload: { reason: 'x'.repeat(50_000) } })
  const last = simulator.emitModule({ module: 'application' })
  const items = await take(stream, 2)
  expect(items.map(label)).toEqual(['undecodable', last.id])
  expect(items[0]).toMatchObject({ reason: 'too-large', bytes: undefined })
})

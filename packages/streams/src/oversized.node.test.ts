/** A module event that is longer than `readMaxBytes`. */
import { createSigner } from '@brokerwire/signer'
import { startSimulator } from '@brokerwire/simulator'
import { expect, test } from 'vitest'
import { createStreams } from './create-streams.ts'
import { isStreamsError } from './streams-error.ts'
import { take } from './test/take.ts'

test('a module event above the limit is never passed over in silence: it is told until somebody decides', async () => {
  await using simulator = await startSimulator()
  await using streams = createStreams({
    signer: createSigner(simulator.credentials),
    moduleEventsUrl: simulator.moduleEventsUrl,
    connection: { readMaxBytes: 4096 },
    supervision: { maxAttempts: 3, backoffBaseMs: 1 },
  })
  const stream = streams.moduleEvents({ modules: ['application'] })
  await take(stream, 1)
  const first = simulator.emitModule({ module: 'application' })
  simulator.emitModule({ module: 'application', payload: { reason: 'x'.repeat(5000) } })
  simulator.emitModule({ module: 'application' })
  const ids: string[] = []
  const statuses: (string | undefined)[] = []
  const reading = (async () => {
    for await (const item of stream) {
      if (item.type === 'event') ids.push(item.id)
      else if (item.kind === 'reconnecting') statuses.push(item.status)
    }
  })()
  await expect(reading).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_GAVE_UP'))
  expect(ids).toEqual([first.id])
  expect(new Set(statuses)).toEqual(new Set(['resource_exhausted']))
})

/** Streams over TLS with a private certificate authority. */
import { createSigner } from '@brokerwire/signer'
import { createSelfSignedCertificate, startSimulator } from '@brokerwire/simulator'
import { expect, test } from 'vitest'
import { createStreams } from './create-streams.ts'
import { isStreamsError } from './streams-error.ts'
import { take } from './test/take.ts'

test('connects to both services over TLS if the authority is trusted', async () => {
  const tls = createSelfSignedCertificate()
  await using simulator = await startSimulator({ tls })
  await using streams = createStreams({
    signer: createSigner(simulator.credentials),
    eventsUrl: simulator.eventsUrl,
    moduleEventsUrl: simulator.moduleEventsUrl,
    connection: { tls: { ca: tls.cert } },
  })
  expect(simulator.eventsUrl).toMatch(/^https:/)
  const trade = streams.tradeEvents({ accounts: simulator.accounts })
  const modules = streams.moduleEvents({ modules: ['application'] })
  await Promise.all([take(trade, 1), take(modules, 1)])
  simulator.emitOrder()
  simulator.emitModule({ module: 'application' })
  expect(await take(trade, 1)).toMatchObject([{ kind: 'order' }])
  expect(await take(modules, 1)).toMatchObject([{ kind: 'module' }])
})

test('sends nothing to a service whose certificate is not trusted', async () => {
  await using simulator = await startSimulator({ tls: createSelfSignedCertificate() })
  await using streams = createStreams({
    signer: createSigner(simulator.credentials),
    eventsUrl: simulator.eventsUrl,
    supervision: { maxAttempts: 2, backoffBaseMs: 1 },
  })
  const failing = take(streams.tradeEvents({ accounts: simulator.accounts }), 3)
  await expect(failing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_GAVE_UP'))
  expect(simulator.requests()).toEqual([])
})

/** How long an event takes from the service to a consumer: directly, and through a relay and JetStream. */
import { Secret } from '@brokerwire/core'
import { readRelayConfig, startRelay } from '@brokerwire/relay'
import { consumeRelay, createJetStreamSink } from '@brokerwire/relay/nats'
import { createSigner } from '@brokerwire/signer'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { createStreams } from '@brokerwire/streams'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { median } from '../figures.ts'

const EVENTS = 500
const EVERY_MS = 4

export async function measureLatency(
  connection: NatsConnection,
): Promise<{ readonly direct: number; readonly relayed: number }> {
  const simulator = await startSimulator({ environment: 'sandbox', moduleEventsPort: 'shared' })
  const { appKey, appSecret } = simulator.credentials
  const config = readRelayConfig(
    JSON.stringify({
      prefix: 'latency',
      keys: [
        {
          name: 'desk',
          environment: 'sandbox',
          region: 'us',
          appKey: { env: 'APP_KEY' },
          appSecret: { env: 'APP_SECRET' },
          streams: ['module'],
          modules: ['application'],
          moduleEventsUrl: simulator.moduleEventsUrl,
        },
      ],
    }),
  )
  const relay = await startRelay({
    config,
    store: createMemoryStore(),
    readSecret: async (field) => (field.endsWith('appKey') ? new Secret(appKey) : appSecret),
    openSink: (address) => createJetStreamSink({ connection, address, createStream: {} }),
  })
  await simulator.subscribed({ service: 'module', count: 1 })
  const streams = createStreams({
    signer: createSigner(simulator.credentials),
    moduleEventsUrl: simulator.moduleEventsUrl,
  })
  const sentAt = new Map<string, number>()
  const times = { direct: [] as number[], relayed: [] as number[] }
  const follow = async (
    name: keyof typeof times,
    items: AsyncIterable<{ readonly type: string; readonly id?: string }>,
  ): Promise<void> => {
    for await (const item of items) {
      if (item.type !== 'event') continue
      times[name].push(performance.now() - (sentAt.get(item.id ?? '') ?? Number.NaN))
      if (times[name].length === EVENTS) return
    }
  }
  const address = { prefix: 'latency', environment: 'sandbox', region: 'us', key: 'desk' } as const
  const following = Promise.all([
    follow(
      'direct',
      streams.moduleEvents({ modules: ['application'] }) as AsyncIterable<{ type: string; id?: string }>,
    ),
    follow(
      'relayed',
      consumeRelay({ js: jetstream(connection), address, durable: 'latency' }) as AsyncIterable<{
        type: string
        id?: string
      }>,
    ),
  ])
  await simulator.subscribed({ service: 'module', count: 2 })
  for (let event = 0; event < EVENTS; event += 1) {
    const atMs = performance.now()
    sentAt.set(simulator.emitModule({ module: 'application' }).id, atMs)
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  await following
  await relay.close()
  await streams.close()
  await simulator.close()
  return { direct: median(times.direct), relayed: median(times.relayed) }
}

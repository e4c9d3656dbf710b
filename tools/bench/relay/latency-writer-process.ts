/**
 * Writes the events of apps to the servers: a relay with its sinks, and a loop over the same streams of the service
 * that writes each batch with the bare client.
 */
import { Secret } from '@brokerwire/core'
import { parseRelayConfig, startRelay, streamName, subjectRoot } from '@brokerwire/relay'
import { createJetStreamSink } from '@brokerwire/relay/nats'
import { createPostgresSink } from '@brokerwire/relay/postgres'
import { createRedisSink } from '@brokerwire/relay/redis'
import { createSigner } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import { createStreams, createSubscriptionBudget } from '@brokerwire/streams'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { EntryFactory } from '../../../packages/relay/src/wire/entries.ts'
import { bareJetStream, barePostgres, bareRedis, connectRedis, type Write } from './bare-writers.ts'
import { addressOf } from './entries.ts'

/** An app of the service, and the name of the sink that its events are written to. */
export interface App {
  readonly name: string
  readonly appKey: string
  readonly appSecret: string
  readonly accounts: readonly string[]
}

export interface WriterOptions {
  readonly eventsUrl: string
  readonly ours: readonly App[]
  readonly bare: readonly App[]
  readonly natsPort: number
  readonly postgresUrl: string
  readonly redisUrl: string
}

/** Writes the events of an app as they arrive. */
async function forward(eventsUrl: string, app: App, write: Write): Promise<void> {
  const entries = new EntryFactory(subjectRoot(addressOf(`${app.name}-bare`)), 'bare', 'bench')
  const streams = createStreams<unknown>({
    signer: createSigner({ appKey: app.appKey, appSecret: app.appSecret }),
    eventsUrl,
    budget: createSubscriptionBudget(),
  })
  for await (const batch of streams.tradeEvents({ accounts: app.accounts, persist: false }).batches()) {
    const events = batch.flatMap((item) => (item.type === 'event' ? [entries.event('trade', item)] : []))
    if (events.length > 0) await write(events)
  }
}

const commands = {
  async start({ eventsUrl, ours, bare, natsPort, postgresUrl, redisUrl }: WriterOptions): Promise<void> {
    const connection = await connect({ port: natsPort })
    const postgres = new pg.Pool({ connectionString: postgresUrl })
    const redis = await connectRedis(redisUrl)
    const write: Record<string, Write> = {
      'jetstream, bare': bareJetStream(connection),
      'postgres, bare': await barePostgres(postgres, true),
      'redis, bare': bareRedis(redis, streamName(addressOf('bare'))),
    }
    const config = {
      ...{ cluster: 'bench', prefix: 'bench', name: 'relay', slotLingerMs: 0 },
      apps: ours.map(({ name, accounts }) => ({
        ...{ name, accounts, environment: 'sandbox', region: 'us', subscriptions: ['trade'] },
        ...{ appKey: { env: 'APP_KEY' }, appSecret: { env: 'APP_SECRET' } },
        eventsUrl,
      })),
    }
    const secrets = new Map(
      ours.flatMap(({ appKey, appSecret }, at) => [
        [`apps[${at}].appKey`, appKey],
        [`apps[${at}].appSecret`, appSecret],
      ]),
    )
    await startRelay({
      config: parseRelayConfig(JSON.stringify(config)),
      store: createMemoryStore(),
      readSecret: async (field) => new Secret(secrets.get(field) ?? ''),
      openSink(address) {
        if (address.app === 'jetstream') return createJetStreamSink({ connection, address, createStream: {} })
        if (address.app === 'postgres') return createPostgresSink({ client: postgres, address })
        return createRedisSink({ client: redis, address })
      },
    })
    for (const app of bare) void forward(eventsUrl, app, write[`${app.name}, bare`] ?? Promise.reject)
  },
}
export type WriterCommands = typeof commands
serveCalls(commands)

/** The bucket of a relay's store, on a server of NATS. */
import { Secret } from '@brokerwire/core'
import { parseRelayConfig, type RelayError } from '@brokerwire/relay'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { relay } from '../commands/relay.ts'
import { createRelayLog } from './log.ts'
import { openBucket } from './nats.ts'
import { openResources } from './open-resources.ts'

const { skip, note } = needs('nats-server')

let server: ChildServer
let connection: NatsConnection
beforeAll(async () => {
  if (skip) return
  server = await startNats('jetstream { domain: hub }')
  connection = await connect({ port: server.port, timeout: 5000 })
}, 60_000)
afterAll(async () => {
  await connection?.close()
  await server?.close()
})

describe.skipIf(skip)(`the bucket of the store${note}`, REAL_SERVERS, () => {
  test('is created and found in the JetStream domain of the sink', async () => {
    const open = (domain: string, mayCreate: boolean) => {
      const sink = { type: 'jetstream', servers: [`nats://127.0.0.1:${server.port}`], domain }
      const app = {
        name: 'team-a',
        environment: 'sandbox',
        region: 'hk',
        appKey: { env: 'APP_KEY' },
        appSecret: { env: 'APP_SECRET' },
        modules: ['application'],
      }
      const config = parseRelayConfig(JSON.stringify({ apps: [app], sink, store: { type: 'nats' } }))
      const log = createRelayLog(() => {}, Date.now)
      const readSecret = async () => new Secret('none is read')
      return openResources(config, mayCreate, {
        configFile: 'my.json',
        log,
        io: { signal: new AbortController().signal },
        readSecret,
      })
    }
    await using made = await open('hub', true)
    await made.store.compareAndSet('key', undefined, 'value')
    await using found = await open('hub', false)
    expect(await found.store.get('key')).toBe('value')
    // The same server, which also responds to requests without a domain.
    await expect(open('elsewhere', true)).rejects.toMatchObject({ name: 'JetStreamNotEnabled' })
  })

  test('is reported with a command that creates it if it is missing', async () => {
    const asked = { bucket: 'none', domain: undefined, replicas: 1, mayCreate: false, configFile: 'my.json' }
    const failure = await openBucket(connection, asked).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      message:
        'bucket none must exist; received none. Create it with brokerwire relay --config my.json --create-stream',
      details: { stream: 'none', setting: 'bucket' },
    })
    const { command = '' } = (failure as RelayError<'RELAY_SINK_MISCONFIGURED'>).details
    const [program, name, ...flags] = command.split(' ')
    expect([program, name]).toEqual(['brokerwire', relay.name])
    expect(flags.filter((flag) => flag.startsWith('--'))).toEqual(['--config', '--create-stream'])
  })
})

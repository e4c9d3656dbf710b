/** A relay with many apps that writes to JetStream, on a NATS server that it starts. */
import { setTimeout as delay } from 'node:timers/promises'
import { Secret } from '@brokerwire/core'
import { parseRelayConfig, type RunningRelay, startRelay } from '@brokerwire/relay'
import { createJetStreamSink } from '@brokerwire/relay/nats'
import { createMemoryStore } from '@brokerwire/stores'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { startNats } from '@brokerwire/testing/nats'
import { connect } from '@nats-io/transport-node'
import type { SimulatedApps } from './simulator-process.ts'
import { usage } from './usage.ts'

/** The size that JetStream reserves for each stream. */
const STREAM_BYTES = 8 * 2 ** 20

let relay: RunningRelay | undefined
let stored = 0

const commands = {
  /** Resolves when the relay is the writer of all streams. */
  async open({ url, apps }: SimulatedApps): Promise<void> {
    const server = await startNats()
    const connection = await connect({ port: server.port })
    const secrets = new Map(
      apps.flatMap(({ appKey, appSecret }, at) => [
        [`apps[${at}].appKey`, appKey],
        [`apps[${at}].appSecret`, appSecret],
      ]),
    )
    const config = {
      ...{ cluster: 'bench', prefix: 'bench', name: 'relay', heartbeatIntervalMs: 2000, slotLingerMs: 0 },
      apps: apps.map(({ name, accounts }) => ({
        // One subscription for orders and positions, because the simulator accepts at most 1,000 connections.
        ...{ name, accounts, environment: 'sandbox', region: 'us', subscribeType: 3 },
        ...{ appKey: { env: 'APP_KEY' }, appSecret: { env: 'APP_SECRET' } },
        eventsUrl: url,
      })),
    }
    relay = await startRelay({
      config: parseRelayConfig(JSON.stringify(config)),
      store: createMemoryStore(),
      readSecret: async (field) => new Secret(secrets.get(field) ?? ''),
      openSink: (address) =>
        createJetStreamSink({ connection, address, createStream: { maxBytes: STREAM_BYTES } }),
      observer: {
        onRelayStored({ messages }) {
          stored += messages
        },
      },
    })
    while (relay.status().isReady !== true) await delay(20)
  },
  stored: () => stored,
  ...usage,
}
export type RelayCommands = typeof commands
serveCalls(commands)

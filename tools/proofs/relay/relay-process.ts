/**
 * A relay in a process of its own, so that it can be killed and stopped. What happens to it is said at once: a process that is
 * killed is asked no more.
 */
import { Secret } from '@brokerwire/core'
import {
  type EventSink,
  isRelayError,
  type RunningRelay,
  readRelayConfig,
  startRelay,
} from '@brokerwire/relay'
import { createJetStreamSink } from '@brokerwire/relay/nats'
import { connect } from '@nats-io/transport-node'
import { openStore } from '../../../packages/client/src/test/store-place.ts'
import { report, serveCalls } from '../faults/child.ts'

/** What a relay is started with. */
export interface RelayStart {
  /** The text of its configuration. */
  readonly config: string
  /** By the field that they stand in. */
  readonly secrets: Readonly<Record<string, string>>
  readonly natsPorts: readonly number[]
  readonly storePort: number
  readonly replicas: number
}

/** What a relay says. */
export type RelayReport =
  | { readonly type: 'key'; readonly key: string; readonly state: string; readonly error: string | undefined }
  | { readonly type: 'repeats'; readonly events: number }
  /** Of a writer that had begun: another one has the stream. */
  | { readonly type: 'refused'; readonly key: string; readonly messages: number }
  | { readonly type: 'lost' | 'held' | 'store-failed' }

const say = (what: RelayReport): void => report(what)

/** Counts what an earlier holder tried to write. */
function watched(sink: EventSink, key: string): EventSink {
  let hasBegun = false
  return {
    tail: (request) => sink.tail(request),
    async publish(batch) {
      try {
        const acknowledged = await sink.publish(batch)
        hasBegun = true
        return acknowledged
      } catch (error) {
        if (hasBegun && isRelayError(error, 'RELAY_FENCED'))
          say({ type: 'refused', key, messages: batch.length })
        throw error
      }
    },
    close: () => sink.close(),
    [Symbol.asyncDispose]: () => sink.close(),
  }
}

const textOf = (error: unknown): string | undefined => (error === undefined ? undefined : String(error))

let relay: RunningRelay | undefined
const commands = {
  async start({ config, secrets, natsPorts, storePort, replicas }: RelayStart): Promise<void> {
    // Nothing leads past the proxies: what a server says of the others is not used.
    const connection = await connect({
      servers: natsPorts.map((port) => `127.0.0.1:${port}`),
      ignoreClusterUpdates: true,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
      timeout: 2000,
      pingInterval: 1000,
      maxPingOut: 2,
    })
    const { store } = await openStore({ kind: 'redis', port: storePort })
    relay = await startRelay({
      config: readRelayConfig(config),
      store,
      readSecret: async (field) => new Secret(secrets[field] ?? ''),
      openSink: (address) =>
        watched(createJetStreamSink({ connection, address, createStream: { replicas } }), address.key),
      observer: {
        onKey: ({ key, state, error }) => say({ type: 'key', key, state, error: textOf(error) }),
        onRepeats: ({ events }) => say({ type: 'repeats', events }),
        onLost: () => say({ type: 'lost' }),
        onStoreFailed: () => say({ type: 'store-failed' }),
        onBackpressure: ({ isHeld }) => isHeld && say({ type: 'held' }),
      },
    })
  },
  status: () => relay?.status() ?? null,
  close: () => relay?.close(),
}

/** What a relay's process offers. */
export type RelayCommands = typeof commands

serveCalls(commands)

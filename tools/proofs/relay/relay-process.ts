/**
 * A relay in its own process, so that it can be killed and stopped. It sends reports immediately, so that a
 * kill loses none.
 */
import { Secret, systemClock } from '@brokerwire/core'
import {
  type EventSink,
  isRelayError,
  parseRelayConfig,
  type RunningRelay,
  startRelay,
} from '@brokerwire/relay'
import { report, serveCalls } from '@brokerwire/testing/child-calls'
import { openStore } from '../../../packages/client/src/test/store-place.ts'
import { connectSinks, type SinkPlace } from './sink-place.ts'

interface RelayStart {
  /** The configuration as JSON. */
  readonly config: string
  /** The secrets, by the field of the configuration that refers to the secret. */
  readonly secrets: Readonly<Record<string, string>>
  readonly sink: SinkPlace
  readonly storePort: number
  /**
   * Offset of the relay's clock.
   * @defaultValue 0
   */
  readonly offsetMs?: number
}

export type RelayReport =
  | {
      readonly type: 'app'
      readonly app: string
      readonly state: string
      readonly error: string | undefined
      /** Whether the stream lacks messages that were acknowledged. */
      readonly isTruncated: boolean
    }
  | { readonly type: 'duplicates'; readonly events: number }
  /**
   * The number of messages that an earlier writer tried to write. The stream rejected them, because it has
   * another writer.
   */
  | { readonly type: 'rejected'; readonly app: string; readonly messages: number }
  | { readonly type: 'lost' | 'held' | 'store-failed' }

const send = (message: RelayReport): void => report(message)

/** A sink that reports how many messages an earlier writer tried to write. */
function watched(sink: EventSink, app: string): EventSink {
  let hasWritten = false
  return {
    tail: (request) => sink.tail(request),
    async publish(batch) {
      try {
        const acknowledged = await sink.publish(batch)
        hasWritten = true
        return acknowledged
      } catch (error) {
        if (hasWritten && isRelayError(error, 'RELAY_FENCED'))
          send({ type: 'rejected', app, messages: batch.length })
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
  async start({ config, secrets, sink, storePort, offsetMs = 0 }: RelayStart): Promise<void> {
    const sinks = await connectSinks(sink)
    const { store } = await openStore({ kind: 'redis', port: storePort })
    relay = await startRelay({
      config: parseRelayConfig(config),
      store,
      readSecret: async (field) => new Secret(secrets[field] ?? ''),
      openSink: (address) => watched(sinks.open(address), address.app),
      clock: { now: () => systemClock.now() + offsetMs, setTimer: systemClock.setTimer },
      observer: {
        onRelayApp: ({ app, state, error }) =>
          send({
            type: 'app',
            app,
            state,
            error: textOf(error),
            isTruncated: isRelayError(error, 'RELAY_STREAM_TRUNCATED'),
          }),
        onRelayDuplicates: ({ events }) => send({ type: 'duplicates', events }),
        onRelayMembershipLost: () => send({ type: 'lost' }),
        onRelayStoreFailed: () => send({ type: 'store-failed' }),
        onRelayBackpressure: ({ isPaused }) => isPaused && send({ type: 'held' }),
      },
    })
  },
  status: () => relay?.status() ?? null,
  close: () => relay?.close(),
}

export type RelayCommands = typeof commands

serveCalls(commands)

/** A NATS server, relays that write streams, and readers of them, for tests. */
import { systemClock } from '@brokerwire/core'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { createStreams, createSubscriptionBudget } from '@brokerwire/streams'
import { jetstream } from '@nats-io/jetstream'
import { expect, onTestFinished } from 'vitest'
import { AppRelay } from '../app/app-relay.ts'
import { type ConsumeRelayOptions, consumeRelay } from '../nats/consume.ts'
import { createJetStreamSink } from '../nats/jetstream-sink.ts'
import type { RelayItem } from '../wire/items.ts'
import type { StreamAddress } from '../wire/subjects.ts'
import { connection } from './jetstream.ts'

export { connection, note, server, skip, useJetStream as useServer } from './jetstream.ts'

let count = 0
/** Returns a new name of a stream. */
export function nextApp(prefix: string): string {
  count += 1
  return `${prefix}-${count}`
}

/** A new stream, and a relay that writes the simulator's events into it. */
export async function setUp() {
  const address: StreamAddress = {
    prefix: 'test',
    environment: 'sandbox',
    region: 'us',
    app: nextApp('desk'),
  }
  const simulator = await startSimulator({ seed: 5 })
  const sink = createJetStreamSink({ connection, address, createStream: {} })
  const relay = new AppRelay({
    address,
    selection: {
      accounts: simulator.accounts,
      modules: ['application'],
      eventTypes: [],
      subscriptions: ['module', 'trade', 'position'],
    },
    openStreams: (observer) =>
      createStreams<unknown>({
        signer: createSigner(simulator.credentials),
        eventsUrl: simulator.eventsUrl,
        moduleEventsUrl: simulator.moduleEventsUrl,
        budget: createSubscriptionBudget(),
        observer,
      }),
    sink,
    store: createMemoryStore(),
    writer: { cluster: 'main', relay: 'one', incarnation: 'one-1' },
    bufferBytes: 64 * 1024 * 1024,
    slotLingerMs: 0,
    maxConnections: 5,
    openOrder: ['module', 'trade', 'position'],
    clock: systemClock,
    random: Math.random,
  })
  const ended = relay.run(0)
  onTestFinished(async () => {
    relay.drain(true)
    await ended
    await sink.close()
    await simulator.close()
  })
  await expect.poll(() => simulator.subscriptions().length).toBe(3)
  const consume = (change: Partial<ConsumeRelayOptions> = {}) => {
    const stream = consumeRelay({ js: jetstream(connection), address, durableName: 'reader', ...change })
    onTestFinished(async () => {
      await stream.return()
    })
    return stream
  }
  return { simulator, address, consume }
}

/** Takes events up to a number, and skips notices. */
export async function takeEvents(stream: AsyncIterableIterator<RelayItem<unknown>>, wanted: number) {
  const events: Extract<RelayItem<unknown>, { readonly type: 'event' }>[] = []
  while (events.length < wanted) {
    const { done, value } = await stream.next()
    if (done === true) throw new Error('the stream ended')
    if (value.type === 'event') events.push(value)
  }
  return events
}
export const idOf = (event: { readonly service: string }): string =>
  'id' in event ? String(event.id) : 'requestId' in event ? String(event.requestId) : ''
export const emitModules = (simulator: Simulator, number: number): string[] =>
  Array.from({ length: number }, () => simulator.emitModule({ module: 'application' }).id)

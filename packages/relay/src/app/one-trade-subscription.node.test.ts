/** A service that grants one trade subscription for each app key. */
import { type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { isStreamsError } from '@brokerwire/streams'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { isEvent, startAppRelay } from '../test/app-relay.ts'
import { ADDRESS } from '../test/entries.ts'
import { HEADER } from '../wire/headers.ts'
import { streamName } from '../wire/subjects.ts'
import type { AppRelayOptions } from './app-relay.ts'

const LIMIT: SimulatorOptions = { oneTradeSubscription: true, combinedSubscribeTypes: true, slotLingerMs: 0 }

async function start(selection: Partial<AppRelayOptions['selection']>) {
  const simulator = await startSimulator({ seed: 5, ...LIMIT })
  onTestFinished(() => simulator.close())
  const stream = createMemoryStream(streamName(ADDRESS))
  const failed: { readonly stream: string; readonly error: unknown }[] = []
  const relay = startAppRelay({
    simulator,
    store: createMemoryStore(),
    sink: stream.open(),
    selection: {
      accounts: simulator.accounts,
      modules: ['application'],
      eventTypes: [],
      subscriptions: ['module', 'trade', 'position'],
      ...selection,
    },
    observer: {
      onRelaySubscription({ subscription: name, state, error }) {
        if (state === 'failed') failed.push({ stream: name, error })
      },
    },
  })
  const stored = () =>
    stream.entries.filter(isEvent).map(({ headers }) => `${headers[HEADER.source]} ${headers[HEADER.kind]}`)
  return { simulator, relay, failed, stored }
}

test('receives orders and positions on the trade subscription with subscribeType', async () => {
  const { simulator, relay, stored } = await start({ subscriptions: ['module', 'trade'], subscribeType: 3 })
  await expect.poll(() => simulator.subscriptions().length).toBe(2)
  simulator.emitOrder()
  simulator.emitPosition()
  await expect.poll(stored).toEqual(['trade order', 'trade position'])
  expect(relay.end.value).toBeUndefined()
})

test('continues if the service allows one trade subscription and rejects the other one', async () => {
  const { simulator, relay, failed, stored } = await start({})
  await expect.poll(() => failed.length).toBe(1)
  expect(isStreamsError(failed[0]?.error, 'STREAM_SUBSCRIPTION_CONFLICT')).toBe(true)
  await expect.poll(() => simulator.subscriptions().length).toBe(2)
  const isTradeLive = failed[0]?.stream === 'position'
  simulator.emitOrder()
  simulator.emitPosition()
  await expect.poll(stored).toEqual([isTradeLive ? 'trade order' : 'position position'])
  expect(relay.end.value).toBeUndefined()
  expect(await relay.stop()).toMatchObject({ why: 'released' })
})

/** Reports to the observer of a relay. */
import { createMemoryStore } from '@brokerwire/stores'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RELAY_OBSERVER, type RelayStoredReport, type RelayTakeoverReport } from '../observer.ts'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { setUp as setUpApp } from '../test/app-relay-bench.ts'
import { SLOW, setUp } from '../test/relay-setup.ts'
import { type StartRelayOptions, startRelay } from './start-relay.ts'

type Observer = NonNullable<StartRelayOptions['observer']>

const STREAM_REPORTS = [
  'onStreamAttempt',
  'onStreamState',
  'onStreamAlive',
  'onStreamBatch',
  'onStreamNotice',
]

/** Calls `listener` with the name of each report, and returns its result. */
const observerOf = (listener: (name: string, report: object) => unknown): Observer =>
  Object.fromEntries(
    [...Object.keys(RELAY_OBSERVER), ...STREAM_REPORTS].map((name) => [
      name,
      (report: object) => listener(name, report),
    ]),
  )

/** Relays an order event and a module event. Resolves when both are stored. */
async function relayTwoEvents(observer: Observer): Promise<{ readonly hidden: readonly string[] }> {
  const { simulator, configNamed } = await setUp(['team-a'])
  const stream = createMemoryStream('team-a')
  const relay = await startRelay({
    config: configNamed('one'),
    store: createMemoryStore(),
    openSink: () => stream.open(),
    observer,
  })
  onTestFinished(() => relay.close())
  await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
  simulator.emitOrder()
  simulator.emitModule({ module: 'application' })
  const events = () => stream.entries.filter(({ headers }) => headers['Brokerwire-Type'] === 'event')
  await expect.poll(() => events().length, SLOW).toBe(2)
  await relay.close()
  const { appKey, appSecret } = simulator.credentials
  return { hidden: [appKey, appSecret.reveal(), ...simulator.accounts] }
}

describe('startRelay', () => {
  test('reports the cluster, the app and its streams by the names of the configuration', async () => {
    const seen: { readonly name: string; readonly report: Record<string, unknown> }[] = []
    const { hidden } = await relayTwoEvents(
      observerOf((name, report) => seen.push({ name, report: report as Record<string, unknown> })),
    )
    const reportsOf = (wanted: string) =>
      seen.flatMap(({ name, report }) => (name === wanted ? [report] : []))
    expect(reportsOf('onRelayMembers')[0]).toEqual({ members: ['one'] })
    expect(reportsOf('onRelayApp').map(({ app, state }) => `${app} ${state}`)).toContain('team-a acquired')
    expect(reportsOf('onRelayTakeover')).toEqual([
      { app: 'team-a', previousRelay: undefined, isReleased: true },
    ])
    expect(new Set(reportsOf('onStreamBatch').map(({ streamId }) => streamId))).toEqual(
      new Set(['team-a/trade', 'team-a/module']),
    )
    const text = JSON.stringify(seen)
    for (const value of hidden) expect(text).not.toContain(value)
  })

  test('reports how long events took from the service to the relay and from there to the stream', async () => {
    const stored: RelayStoredReport[] = []
    await relayTwoEvents({ onRelayStored: (report) => stored.push(report) })
    const withEvents = stored.filter(({ storeLagMs }) => storeLagMs !== undefined)
    expect(withEvents.length).toBeGreaterThan(0)
    for (const { receiveLagMs, storeLagMs } of withEvents) {
      expect(receiveLagMs).toBeGreaterThanOrEqual(-1)
      expect(receiveLagMs).toBeLessThan(60_000)
      expect(storeLagMs).toBeGreaterThanOrEqual(0)
      expect(storeLagMs).toBeLessThan(60_000)
    }
    // A notice has no delay.
    expect(stored.some(({ storeLagMs }) => storeLagMs === undefined)).toBe(true)
    expect(stored.reduce((sum, { messages }) => sum + messages, 0)).toBeGreaterThan(2)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('a bug in an observer')
      },
    ],
    // An unhandled rejection would fail the run.
    ['rejects', () => Promise.reject(new Error('a bug in an observer'))],
    ['never resolves', () => new Promise(() => {})],
  ])('an observer that %s changes nothing', async (_name, listener) => {
    await relayTwoEvents(observerOf(listener))
  })
})

describe('a takeover', () => {
  test('reports the last writer, and whether it released the app', async () => {
    const { simulator, start } = await setUpApp({ slotLingerMs: 0 })
    const takeovers: RelayTakeoverReport[] = []
    const observer = { onRelayTakeover: (report: RelayTakeoverReport) => takeovers.push(report) }
    const allOpen = () => expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    const first = start('one', { observer })
    await allOpen()
    first.relay.drain(true)
    await first.ended
    const second = start('two', { observer })
    await allOpen()
    await second.vanish()
    second.relay.abort()
    await second.ended
    start('three', { observer })
    await expect.poll(() => takeovers.length, SLOW).toBe(3)
    const app = 'team-a'
    expect(takeovers).toEqual([
      { app, previousRelay: undefined, isReleased: true },
      { app, previousRelay: 'one', isReleased: true },
      { app, previousRelay: 'two', isReleased: false },
    ])
  })
})

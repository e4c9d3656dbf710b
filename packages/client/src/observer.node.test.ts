/** One observer for all packages of the composition. */
import { setTimeout as delay } from 'node:timers/promises'
import { createBrokerage as createEdgeBrokerage } from '@brokerwire/edge'
import { expect, onTestFinished, test } from 'vitest'
import { type BrokerageObserver, createBrokerage } from './index.ts'
import { startSetUp } from './test/set-up.ts'

const REPORTS = [
  'onHttpAttempt',
  'onHttpAttemptEnd',
  'onTokenCall',
  'onTokenState',
  'onTokenSecondFactor',
  'onStreamAttempt',
  'onStreamState',
  'onStreamAlive',
  'onStreamBatch',
  'onStreamNotice',
] as const satisfies readonly (keyof BrokerageObserver)[]

/** Calls `listener` with the name of each report, and returns its result. */
const observerOf = (listener: (name: string, report: object) => unknown): BrokerageObserver =>
  Object.fromEntries(REPORTS.map((name) => [name, (report: object) => listener(name, report)]))

/** Gets a token and one order event. */
async function use({ simulator, open }: Awaited<ReturnType<typeof startSetUp>>, observer: BrokerageObserver) {
  const brokerage = open({ clientId: 'main', observer })
  const got = brokerage.accessTokens.get()
  await expect.poll(() => simulator.approveSecondFactor()).toBe(1)
  const token = await got
  const stream = brokerage.tradeEvents({ accounts: simulator.accounts, streamId: 'orders' })
  for await (const item of stream) {
    if (item.type === 'event') break
    if (item.kind === 'subscribed') simulator.emitOrder()
  }
  return token?.token.reveal() ?? ''
}

test('one observer receives the reports of requests, tokens and streams, each with its source', async () => {
  const setUp = await startSetUp({ environment: 'production' })
  const seen = new Map<string, Record<string, unknown>[]>()
  await use(
    setUp,
    observerOf((name, report) => seen.set(name, [...(seen.get(name) ?? []), report as never])),
  )
  expect([...seen.keys()].sort()).toEqual([...REPORTS].sort())
  for (const [name, reports] of seen) {
    const source = name.startsWith('onStream')
      ? { streamId: 'orders' }
      : { clientId: name.startsWith('onHttp') ? 'main-tokens' : 'main' }
    for (const report of reports) expect(report).toMatchObject(source)
  }
  expect(seen.get('onHttpAttemptEnd')?.[0]).toMatchObject({
    operation: 'tokens.create',
    origin: setUp.simulator.baseUrl,
  })
  expect(seen.get('onTokenState')?.map(({ state }) => state)).toEqual([
    'none',
    'unresolved',
    'pending',
    'normal',
  ])
})

test('no report has the app key, an account or a secret', async () => {
  const setUp = await startSetUp({ environment: 'production' })
  const { simulator } = setUp
  const reports: unknown[] = []
  const token = await use(
    setUp,
    observerOf((_name, report) => reports.push(report)),
  )
  const text = JSON.stringify(reports)
  for (const hidden of [
    simulator.credentials.appKey,
    simulator.credentials.appSecret.reveal(),
    token,
    ...simulator.accounts,
  ]) {
    expect(hidden).not.toBe('')
    expect(text).not.toContain(hidden)
  }
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
  ['never resolves', () => delay(60_000, undefined, { ref: false })],
])('an observer that %s changes nothing', async (_name, listener) => {
  await use(await startSetUp({ environment: 'production' }), observerOf(listener))
})

test('the groups of options have no observer, because there is one for all', () => {
  const options = { region: 'us', environment: 'sandbox', appKey: 'k', appSecret: 's' } as const
  const create = (change: object) => () => createBrokerage({ ...options, ...change } as never)
  const createEdge = (change: object) => () => createEdgeBrokerage({ ...options, ...change } as never)
  for (const group of ['http', 'tokens', 'streams']) {
    const change = { [group]: { observer: {} } }
    const details = { option: `${group}.observer` }
    expect(create(change)).toThrow(expect.objectContaining({ details: expect.objectContaining(details) }))
  }
  expect(createEdge({ http: { observer: {} } })).toThrow('http.observer')
  const brokerage = createBrokerage(options)
  onTestFinished(() => brokerage.close())
  expect(() => brokerage.quotes({ observer: {} } as never)).toThrow('observer')
})

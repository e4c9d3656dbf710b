import { createVirtualClock } from '@brokerwire/core/testing'
import { endOf, openModuleStream, openTradeStream, sendSigned, take } from '@brokerwire/testing/signed-client'
import { describe, expect, it } from 'vitest'
import { type SimulatedApp, type Simulator, startSimulator } from './index.ts'

/** The simulator with the endpoints and credentials of one of its apps, for the clients of a test. */
function as(sim: Simulator, app: SimulatedApp): Simulator {
  return Object.assign(Object.create(sim), app)
}

const ACCOUNT = 'ACCOUNT0000000000000000001'

describe('several apps in one simulator', () => {
  it('have their own keys, regions, environments, accounts and symbols', async () => {
    await using sim = await startSimulator({
      maxConnections: 3,
      apps: [
        { region: 'us', environment: 'production' },
        { name: 'hongkong', region: 'hk', environment: 'sandbox', accounts: [ACCOUNT], symbols: ['9988'] },
      ],
    })
    const [us, hk] = [sim.app('app-1'), sim.app('hongkong')]
    expect(sim.apps.map(({ name, region, environment }) => [name, region, environment])).toEqual([
      ['app-1', 'us', 'production'],
      ['hongkong', 'hk', 'sandbox'],
    ])
    expect(sim.app(hk.credentials.appKey)).toBe(hk)
    expect(sim.credentials).toBe(us.credentials)
    expect(us.credentials.appKey).not.toBe(hk.credentials.appKey)
    expect(us.accounts).not.toContain(ACCOUNT)
    expect(hk.placeOrder().state).toMatchObject({ accountId: ACCOUNT, instrument: { symbol: '9988' } })
    expect([us.tradeEvents().length, hk.tradeEvents().length]).toEqual([0, 1])
    const create = async (app: SimulatedApp) =>
      (await sendSigned(as(sim, app), { path: '/auth/tokens/create', json: {} })).json.status
    expect({ createUs: await create(us), createHk: await create(hk) }).toEqual({
      createUs: 'PENDING',
      createHk: 'NORMAL',
    })
    expect([us.approveSecondFactor(), hk.approveSecondFactor()]).toEqual([1, 0])
    expect(sim.state()).toMatchObject({ appKey: us.credentials.appKey, apps: [{}, { name: 'hongkong' }] })
  })

  it('do not share tokens, customers, or the rate limit of token calls', async () => {
    await using sim = await startSimulator({
      environment: 'sandbox',
      clock: createVirtualClock(),
      apps: [{ rateLimit: { requests: 3, windowMs: 30_000 } }, {}],
    })
    const [one, other] = sim.apps.map((app) => as(sim, app)) as [Simulator, Simulator]
    const { json } = await sendSigned(one, { path: '/auth/tokens/create', json: {} })
    const check = async (asked: Simulator) =>
      (await sendSigned(asked, { path: '/auth/tokens/check', json: { token: json.token } })).json.status
    expect({ checkOne: await check(one), checkOther: await check(other) }).toEqual({
      checkOne: 'NORMAL',
      checkOther: 'INVALID',
    })
    const echo = (asked: Simulator) =>
      sendSigned(asked, {
        path: '/openapi/simulator/echo',
        headers: { 'x-access-token': String(json.token) },
      })
    expect([(await echo(one)).status, (await echo(other)).status]).toEqual([200, 401])
    const user = (asked: Simulator) =>
      sendSigned(asked, { path: '/auth/client-tokens/create', json: { client_user_id: 'anna' } })
    const pairs = [await user(one), await user(other)].map((answer) => String(answer.json.access_token))
    expect(pairs.map((token) => [one.isClientTokenLive(token), other.isClientTokenLive(token)])).toEqual([
      [true, false],
      [false, true],
    ])
    expect(other.endClientTokens('anna')).toBe(true)
    expect(one.isClientTokenLive(String(pairs[0]))).toBe(true)
    await check(one)
    expect({ checkOne: await check(one), checkOther: await check(other) }).toEqual({
      checkOne: undefined,
      checkOther: 'INVALID',
    })
  })

  it('have their own streams, cursors and slots', async () => {
    await using sim = await startSimulator({ apps: [{ maxConnections: 1 }, { accounts: [ACCOUNT] }] })
    const [one, other] = sim.apps.map((app) => as(sim, app)) as [Simulator, Simulator]
    const first = await openTradeStream(one)
    const second = await openTradeStream(other)
    expect([(await take(first, 1))[0]?.eventType, (await take(second, 1))[0]?.eventType]).toEqual([0, 0])
    expect(sim.subscriptions()).toHaveLength(2)
    expect(sim.apps.map((app) => [app.subscriptions().length, app.usedConnections()])).toEqual([
      [1, 1],
      [1, 1],
    ])
    // All slots of the first app are used. The second app has free slots.
    expect((await take(await openTradeStream(one), 1))[0]?.payload).toBe('1 connections are open')
    const third = await openTradeStream(other)
    expect((await take(third, 1))[0]?.payload).toBe('')
    // An app cannot subscribe to accounts of another app or read its events.
    expect(await endOf(await openTradeStream(other, { accounts: [...one.accounts] }))).toBe(7)
    one.emitOrder()
    other.emitOrder({ payload: { note: 'the other' } })
    expect((await take(second, 1))[0]?.payload).toContain('the other')
    expect((await take(first, 1))[0]?.payload).not.toContain('the other')
    const [, event] = [one, other].map((app) => app.emitModule({ module: 'journal' }))
    const events = [{ eventType: 'JOURNAL', position: String(event?.position) }]
    // The fourth event of the second app; the first app cannot use its cursors.
    first.abort.abort()
    await expect.poll(() => sim.app('app-1').usedConnections()).toBe(0)
    expect(await endOf(await openModuleStream(one, { events }))).toBe(11)
    const resumed = await openModuleStream(other, { events })
    expect((await take(resumed, 1))[0]?.type).toBe(0)
    for (const { abort } of [second, third, resumed]) abort.abort()
  })

  it('are rejected with the name of the invalid option', async () => {
    const start = (apps: unknown, more: object = {}) => startSimulator({ apps, ...more } as never)
    for (const [option, given] of [
      ['apps', () => start([])],
      ['apps', () => start('two')],
      ['apps[0]', () => start([7])],
      ['apps[1].region', () => start([{}, { region: 'eu' }])],
      ['apps[0].acounts', () => start([{ acounts: [] }])],
      ['apps[1].appKey', () => start([{ appKey: 'same' }, { appKey: 'same' }])],
      ['apps[1].name', () => start([{ name: 'same' }, { name: 'same' }])],
      ['accounts', () => start([{}], { accounts: [ACCOUNT] })],
      ['apps[0].rateLimit.requests', () => start([{ rateLimit: { requests: 0, windowMs: 1 } }])],
      ['apps[0].symbols[0].symbol', () => start([{ symbols: [''] }])],
      ['apps[0].symbols[0].price', () => start([{ symbols: [{ symbol: 'A', price: 1 }] }])],
      ['name', () => startSimulator({ name: 'x' } as never)],
    ] as const) {
      await expect(given(), option).rejects.toMatchObject({
        code: 'SIMULATOR_OPTION_INVALID',
        details: { option },
      })
    }
    await expect(start([{}, { region: 'eu' }])).rejects.toThrow('must be "hk" or "us"; received "eu"')
    await using sim = await start([{ name: 'one' }, {}])
    expect(() => sim.app('two')).toThrow("app must be one of 'one', 'app-2', or an app key; received \"two\"")
  })
})

describe('the option symbols', () => {
  it('replaces all symbols, and invalid ones are named in errors', async () => {
    await using sim = await startSimulator({
      symbols: ['ACME', { symbol: 'WILE', shortName: 'Wile E. Coyote', priceCents: 1_000_000 }],
    })
    expect(sim.placeOrder({ symbol: 'WILE' }).state.instrument).toMatchObject({
      symbol: 'WILE',
      shortName: 'Wile E. Coyote',
      priceCents: 1_000_000,
    })
    const traded = Array.from({ length: 20 }, () => JSON.parse(sim.emitOrder().payload).symbol)
    expect([...new Set(traded)].sort()).toEqual(['ACME', 'WILE'])
    expect(() => sim.placeOrder({ symbol: 'AAPL' })).toThrow(
      'symbol must be "ACME" or "WILE"; received "AAPL"',
    )
    expect(() => sim.emitOrder({ accountId: 'nobody' })).toThrow('received "nobody"')
  })
})

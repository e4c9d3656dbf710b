/** The option `oneTradeSubscription`: facts, "One trade subscription". */
import { endOf, openModuleStream, openTradeStream, take } from '@brokerwire/testing/signed-client'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { simulatorForEach } from './test/simulator-for-each.ts'

const { start } = simulatorForEach()

test('a second trade subscription of an app key ends with RESOURCE_EXHAUSTED, and the first one continues', async () => {
  const sim = await start({ oneTradeSubscription: true })
  const first = await openTradeStream(sim)
  await take(first, 1)
  const second = await openTradeStream(sim, { subscribeType: 2 })
  const error = ConnectError.from(await second.messages.next().catch((reason: unknown) => reason))
  expect(error.code).toBe(Code.ResourceExhausted)
  expect(error.rawMessage).toContain('already has an active subscription')
  expect(sim.usedConnections()).toBe(1)
  expect(sim.requests().at(-1)).toMatchObject({ errorCode: 'ResourceExhausted' })

  const sent = sim.emitOrder()
  expect(await take(first, 1)).toMatchObject([{ payload: sent.payload }])
  first.abort.abort()
})

test('the next one is accepted as soon as the first one has ended', async () => {
  const sim = await start({ oneTradeSubscription: true })
  const first = await openTradeStream(sim)
  await take(first, 1)
  first.abort.abort()
  await expect.poll(() => sim.subscriptions().length).toBe(0)
  const next = await openTradeStream(sim)
  expect(await take(next, 1)).toMatchObject([{ eventType: 0 }])
  next.abort.abort()
})

test('module streams and other app keys do not count', async () => {
  const sim = await start({ oneTradeSubscription: true, apps: [{}, {}, { oneTradeSubscription: false }] })
  const [, other, several] = sim.apps
  const urls = { eventsUrl: sim.eventsUrl, moduleEventsUrl: sim.moduleEventsUrl }
  const open = async (app: typeof other) =>
    openTradeStream({ ...sim, ...app, ...urls } as typeof sim, { accounts: [...(app?.accounts ?? [])] })
  const streams = [await openTradeStream(sim), await open(other), await open(several), await open(several)]
  for (const stream of streams) expect(await take(stream, 1)).toMatchObject([{ eventType: 0 }])
  const modules = await openModuleStream(sim, { events: [{ eventType: 'FUNDING' }] })
  expect(await take(modules, 1)).toMatchObject([{ type: 0 }])
  expect(await endOf(await open(other))).toBe(Code.ResourceExhausted)
  for (const stream of [...streams, modules]) stream.abort.abort()
})

test('without the option an app key can have several trade subscriptions', async () => {
  const sim = await start()
  const streams = [await openTradeStream(sim), await openTradeStream(sim)]
  for (const stream of streams) expect(await take(stream, 1)).toMatchObject([{ eventType: 0 }])
  for (const stream of streams) stream.abort.abort()
})

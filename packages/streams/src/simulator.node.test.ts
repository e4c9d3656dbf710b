/** Streams against the simulator, with faults of the network and of frames. */

import { createSeededRandom } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { afterEach, describe, expect, test } from 'vitest'
import type { SharedContext } from './context.ts'
import { createModuleStream, type ModuleStreamOptions } from './module-stream.ts'
import { isStreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { IDENTITY, targetOf, testContext } from './test/context.ts'
import { take } from './test/take.ts'
import { createTradeStream } from './trade-stream.ts'

let simulator: Simulator | undefined
afterEach(async () => {
  await simulator?.close()
})

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  simulator = await startSimulator({ seed: 3, ...options })
  return simulator
}

function contextOf(service: Simulator, change: Partial<SharedContext> = {}): SharedContext {
  return testContext({ signer: createSigner(service.credentials), ...change })
}

const tradeStream = (service: Simulator, change?: Partial<SharedContext>) =>
  createTradeStream(
    contextOf(service, change),
    targetOf(service.eventsUrl),
    'trade',
    { accounts: service.accounts },
    payloads,
  )

const moduleStream = (
  service: Simulator,
  change?: Partial<SharedContext>,
  options: Partial<ModuleStreamOptions> = {},
) =>
  createModuleStream(
    contextOf(service, change),
    targetOf(service.moduleEventsUrl),
    { modules: ['application'], ...options },
    (frame) => payloads.module(frame),
  )

const ids = (items: readonly { readonly type: string; readonly id?: string }[]): (string | undefined)[] =>
  items.filter((item) => item.type === 'event').map((item) => item.id)

describe('the checks of the service', () => {
  test('accept the signatures of all three streams', async () => {
    const service = await start()
    const trade = tradeStream(service)
    const position = createTradeStream(
      contextOf(service),
      targetOf(service.eventsUrl),
      'position',
      { accounts: service.accounts },
      payloads,
    )
    const modules = moduleStream(service)
    const standing = [{ kind: 'subscribed', implied: false }]
    for (const stream of [trade, position]) expect(await take(stream, 1)).toMatchObject(standing)
    expect(await take(modules, 1)).toMatchObject(standing)
    service.emitOrder()
    service.emitPosition()
    service.emitModule({ module: 'application' })
    expect(await take(trade, 1)).toMatchObject([{ kind: 'order' }])
    expect(await take(position, 1)).toMatchObject([{ kind: 'position' }])
    expect(await take(modules, 1)).toMatchObject([{ kind: 'module', eventType: 'APPLICATION' }])
    await Promise.all([trade.return(), position.return(), modules.return()])
  })

  test('reject a wrong secret, which ends the stream after two attempts', async () => {
    const service = await start()
    const signer = createSigner({ appKey: service.credentials.appKey, appSecret: 'wrong' })
    const failing = take(tradeStream(service, { signer }), 5)
    await expect(failing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_AUTH_REJECTED'))
  })

  test('reject a wrong clock, which is corrected by the time of the rejection', async () => {
    const service = await start()
    let offsetMs = -3_600_000
    const signer = createSigner({ ...service.credentials, now: () => Date.now() + offsetMs })
    const stream = tradeStream(service, {
      signer,
      onClockSkew: ({ serverNowMs }) => {
        if (serverNowMs !== undefined) offsetMs = serverNowMs - Date.now()
      },
    })
    expect(await take(stream, 2)).toMatchObject([
      { kind: 'reconnecting', reason: 'auth-error' },
      { kind: 'subscribed', attempt: 2 },
    ])
    await stream.return()
  })

  test('reject one connection too many, which is retried after a minute', async () => {
    const service = await start({ maxConnections: 1 })
    const first = tradeStream(service)
    await take(first, 1)
    const second = tradeStream(service)
    expect(await take(second, 1)).toMatchObject([
      { kind: 'reconnecting', reason: 'connection-limit', delayMs: 60_000, slotStillHeld: false },
    ])
    await Promise.all([first.return(), second.return()])
  })
})

describe('faults', () => {
  const strike: Record<string, (service: Simulator) => void> = {
    'a dropped connection': (service) => void service.dropConnections(),
    GOAWAY: (service) => {
      service.goaway()
      service.endStreams()
    },
    'a clean end': (service) => void service.endStreams(),
    SubscribeExpired: (service) => void service.expireSubscriptions(),
    'a status': (service) => void service.endStreams({ status: 'unavailable' }),
    ...Object.fromEntries(
      Array.from({ length: 14 }, (_, code) => [
        `RST_STREAM ${code}`,
        (service: Simulator) => void service.resetStreams({ http2Code: code }),
      ]),
    ),
  }
  test.each(Object.keys(strike))(
    '%s: the module stream loses no event and delivers none twice',
    async (name) => {
      const service = await start({ cursor: 'inclusive' })
      const stream = moduleStream(service)
      await take(stream, 1)
      const emit = () => service.emitModule({ module: 'application' })
      emit()
      emit()
      const items = await take(stream, 2)
      strike[name]?.(service)
      emit()
      emit()
      while (ids(items).length < 4) items.push(...(await take(stream, 1)))
      expect(ids(items)).toEqual(service.moduleEvents().map((event) => event.id))
      expect(items.map((item) => item.kind)).toContain('resumed')
      await stream.return()
    },
  )

  test.each(['duplicate', 'split', 'oversized-length', 'truncate'] as const)(
    'a frame with the fault %s: the module stream loses no event and delivers none twice',
    async (fault) => {
      const service = await start()
      const stream = moduleStream(service)
      await take(stream, 1)
      service.emitModule({ module: 'application' })
      const items = await take(stream, 1)
      service.faults.nextFrame(fault)
      for (let n = 0; n < 3; n += 1) service.emitModule({ module: 'application' })
      while (ids(items).length < 4) items.push(...(await take(stream, 1)))
      expect(ids(items)).toEqual(service.moduleEvents().map((event) => event.id))
      const harmless = fault === 'duplicate' || fault === 'split'
      expect(items.some((item) => item.kind === 'reconnecting')).toBe(!harmless)
      await stream.return()
    },
  )

  test.each([
    ['corrupt-message', 'malformed'],
    ['invalid-utf8', 'malformed'],
    ['compressed-flag', 'compression'],
    ['oversized-message', 'too-large'],
  ] as const)(
    'a frame with the fault %s: the module stream delivers it as undecodable and continues',
    async (fault, reason) => {
      const service = await start()
      const stream = moduleStream(service)
      await take(stream, 1)
      service.faults.nextFrame(fault)
      for (let n = 0; n < 3; n += 1) service.emitModule({ module: 'application' })
      const items = await take(stream, 3)
      expect(items[0]).toMatchObject({ type: 'undecodable', reason })
      expect(ids(items)).toEqual(
        service
          .moduleEvents()
          .map((event) => event.id)
          .slice(1),
      )
      await stream.return()
    },
  )

  test('a truncated payload is delivered as undecodable', async () => {
    const service = await start()
    const stream = tradeStream(service)
    await take(stream, 1)
    service.faults.nextFrame('corrupt-payload')
    service.emitOrder()
    const [item] = await take(stream, 1)
    if (item?.type !== 'event') throw new Error('no event')
    expect(item.kind).toBe('order')
    expect(item.decode()).toMatchObject({ ok: false, raw: item.payload })
    await stream.return()
  })

  test('the trade stream discards a redelivered event and reports a gap', async () => {
    const service = await start()
    const stream = tradeStream(service)
    await take(stream, 1)
    service.emitOrder()
    service.redeliverTradeEvents(1)
    service.emitOrder()
    const events = await take(stream, 2)
    service.dropConnections()
    const notices = await take(stream, 3)
    service.emitOrder()
    events.push(...(await take(stream, 1)))
    expect(notices.map((notice) => notice.kind)).toEqual(['reconnecting', 'subscribed', 'gap'])
    expect(events.map((item) => (item.type === 'event' ? item.requestId : item.kind))).toEqual([
      ...new Set(service.tradeEvents().map((event) => event.requestId)),
    ])
    await stream.return()
  })

  test('delivers exactly the sent events through 4,000 events, 20 drops and restarts of the consumer', async () => {
    const total = 4000
    const service = await start({ cursor: 'inclusive' })
    const store = createFailingStore()
    const random = createSeededRandom(11)
    const change = { store, identity: IDENTITY, policy: readPolicy({ backoffBaseMs: 1, backoffMaxMs: 2 }) }
    const seen = new Map<string, number>()
    let emitted = 0
    let repeatsAfterRestart = 0
    let restarts = 0
    const emitSome = () => {
      for (let n = 0; n < 40 && emitted < total; n += 1, emitted += 1)
        service.emitModule({ module: 'application' })
    }
    let last = ''
    while (seen.size < total) {
      // The first run starts before the first event; later runs continue at the cursor.
      const stream = moduleStream(service, change)
      let lifetime = 50 + Math.floor(random() * 400)
      for await (const item of stream) {
        if (item.type !== 'event') {
          if (item.kind === 'subscribed') emitSome()
          continue
        }
        const times = (seen.get(item.id) ?? 0) + 1
        seen.set(item.id, times)
        if (times > 1) {
          // Only the last item, which was not committed when the loop ended, may be delivered again.
          expect(item.id).toBe(last)
          repeatsAfterRestart += 1
        }
        last = item.id
        if (random() < 0.1) emitSome()
        if (random() < 20 / total) service.dropConnections()
        lifetime -= 1
        if (seen.size === total || (lifetime <= 0 && seen.size > 1)) break
        if (seen.size === emitted) emitSome()
      }
      restarts += 1
    }
    expect([...seen.keys()]).toEqual(service.moduleEvents().map((event) => event.id))
    expect(repeatsAfterRestart).toBeLessThanOrEqual(restarts)
    expect(restarts).toBeGreaterThan(5)
  })
})

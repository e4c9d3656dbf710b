import type { VirtualClock } from '@brokerwire/core/testing'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ORDER, type Subscription } from '../wire/subjects.ts'
import {
  initialSlots,
  type SlotsEffect,
  type SlotsEvent,
  slotsTransition,
  usedConnections,
} from './connection-slots.ts'

const MAX = 5

/** The service: counts open and lingering connections, and rejects those beyond the limit. */
function createService(clock: VirtualClock, lingerMs: number, maxConnections = MAX) {
  let open = 0
  let lingering = 0
  let most = 0
  let refusals = 0
  return {
    connect(): boolean {
      if (open + lingering >= maxConnections) {
        refusals += 1
        return false
      }
      open += 1
      most = Math.max(most, open + lingering)
      return true
    },
    disconnect(): void {
      open -= 1
      if (lingerMs === 0) return
      lingering += 1
      clock.setTimer(() => {
        lingering -= 1
      }, lingerMs)
    },
    get most() {
      return most
    },
    get refusals() {
      return refusals
    },
    get open() {
      return open
    },
    maxConnections,
  }
}

/** A relay with one app, which runs the effects of the state machine. Opening a connection takes 100 ms. */
function createRelay(clock: VirtualClock, service: ReturnType<typeof createService>, lingerMs: number) {
  let state = initialSlots(DEFAULT_ORDER, service.maxConnections)
  let isAlive = true
  const opened = new Set<Subscription>()
  const flowsAt = new Map<Subscription, number>()
  const closedAt = new Map<Subscription, number>()
  let released: { readonly lingering: number; readonly atMs: number } | undefined
  let onReleased = (_lingering: number): void => {}

  const dispatch = (event: SlotsEvent): void => {
    if (!isAlive) return
    const [next, effects] = slotsTransition(state, event)
    state = next
    // A subscription opens a lost connection again by itself; the state machine opens others only within the limit.
    if (effects.some(({ type }) => type === 'open'))
      expect(usedConnections(state)).toBeLessThanOrEqual(service.maxConnections)
    for (const effect of effects) runEffect(effect)
  }
  const tryToOpen = (subscription: Subscription): void => {
    const current = state.subscriptions[subscription]
    // It was closed meanwhile: no more attempts.
    if (!isAlive || current === 'closing' || current === 'closing-refused' || current === 'closed') return
    if (service.connect()) {
      opened.add(subscription)
      flowsAt.set(subscription, clock.now())
      dispatch({ type: 'opened', subscription })
    } else {
      dispatch({ type: 'refused', subscription })
      clock.setTimer(() => tryToOpen(subscription), 60_000)
    }
  }
  const runEffect = (effect: SlotsEffect): void => {
    switch (effect.type) {
      case 'open':
        clock.setTimer(() => tryToOpen(effect.subscription), 100)
        return
      case 'close':
        clock.setTimer(() => {
          if (!isAlive) return
          if (opened.delete(effect.subscription)) service.disconnect()
          closedAt.set(effect.subscription, clock.now())
          dispatch({ type: 'closed', subscription: effect.subscription })
        }, 20)
        return
      case 'start-timer':
        clock.setTimer(() => dispatch({ type: 'slot-expired' }), lingerMs)
        return
      case 'released':
        released = { lingering: effect.lingering, atMs: clock.now() }
        onReleased(effect.lingering)
    }
  }
  return {
    dispatch,
    take(lingering: number): void {
      dispatch({ type: 'assigned', lingering })
      dispatch({ type: 'acquired' })
    },
    flowsAt,
    closedAt,
    get released() {
      return released
    },
    get state() {
      return state
    },
    onReleased: (then: (lingering: number) => void) => {
      onReleased = then
    },
    /** As after SIGKILL: all its connections break. */
    die() {
      isAlive = false
      for (const _ of opened) service.disconnect()
      opened.clear()
    },
    drop(subscription: Subscription) {
      if (!isAlive || !opened.delete(subscription)) return
      service.disconnect()
      dispatch({ type: 'dropped', subscription })
      tryToOpen(subscription)
    },
  }
}

/** Drops a connection at each interval. @returns A function that ends it. */
function flap(clock: VirtualClock, everyMs: number | undefined, drop: () => void): () => void {
  if (everyMs === undefined) return () => {}
  let cancel = (): void => {}
  const next = (): void => {
    cancel = clock.setTimer(() => {
      drop()
      next()
    }, everyMs)
  }
  next()
  return () => cancel()
}

/** The first effects of a drain when all subscriptions are open. */
function drainEffects(order: readonly Subscription[]): readonly SlotsEffect[] {
  let [state] = slotsTransition(initialSlots(order), { type: 'acquired' })
  for (const subscription of order) [state] = slotsTransition(state, { type: 'opened', subscription })
  return slotsTransition(state, { type: 'drain', now: false })[1]
}

async function begin(lingerMs: number) {
  const clock = createVirtualClock(0)
  const service = createService(clock, lingerMs)
  const relays = [createRelay(clock, service, lingerMs), createRelay(clock, service, lingerMs)] as const
  relays[0].take(0)
  await clock.advance(120_000)
  expect(service.open).toBe(3)
  return { clock, service, relays }
}

describe.each([0, 60_000])('connections that linger for %d ms', (lingerMs) => {
  const show = (
    what: string,
    fromMs: ReadonlyMap<Subscription, number>,
    toMs: ReadonlyMap<Subscription, number>,
  ) => {
    const times = DEFAULT_ORDER.map(
      (one) => `${one} ${(toMs.get(one) ?? Number.NaN) - (fromMs.get(one) ?? 0)} ms`,
    )
    process.stdout.write(`slots, linger ${lingerMs} ms, ${what}: without ${times.join(', ')}\n`)
  }
  const paused = (from: ReadonlyMap<Subscription, number>, to: ReadonlyMap<Subscription, number>) =>
    DEFAULT_ORDER.map((one) => (to.get(one) ?? Number.NaN) - (from.get(one) ?? 0))

  test('after a crash, module and trade events flow at once, and position events when a connection is free', async () => {
    const { clock, service, relays } = await begin(lingerMs)
    const diedAt = new Map(DEFAULT_ORDER.map((one) => [one, clock.now()]))
    relays[0].die()
    relays[1].take(3)
    await clock.advance(300_000)
    show('a relay died', diedAt, relays[1].flowsAt)
    expect(paused(diedAt, relays[1].flowsAt)).toEqual([100, 100, lingerMs + 100])
    expect(service.most).toEqual(lingerMs === 0 ? 3 : 5)
    expect(service.refusals).toBe(0)
  })

  test('after a drain, module events wait for a connection, and trade and position events hardly wait', async () => {
    const { clock, service, relays } = await begin(lingerMs)
    relays[0].onReleased(relays[1].take)
    relays[0].dispatch({ type: 'drain', now: false })
    await clock.advance(300_000)
    show('after a drain', relays[0].closedAt, relays[1].flowsAt)
    expect(paused(relays[0].closedAt, relays[1].flowsAt)).toEqual([lingerMs + 120, 100, 100])
    expect(service.refusals).toBe(0)
    expect(service.most).toBeLessThanOrEqual(MAX)
  })

  test('leaves three lingering connections if it ends at once, as after a crash', async () => {
    const { clock, service, relays } = await begin(lingerMs)
    relays[0].onReleased(relays[1].take)
    relays[0].dispatch({ type: 'drain', now: true })
    await clock.advance(300_000)
    show('a relay ended at once', relays[0].closedAt, relays[1].flowsAt)
    expect(relays[0].released?.lingering).toBe(3)
    expect(paused(relays[0].closedAt, relays[1].flowsAt)).toEqual([100, 100, lingerMs + 100])
    expect(service.refusals).toBe(0)
  })
})

describe('the state machine of connections', () => {
  test('opens no other subscription while one is refused with NumOfConnExceed', () => {
    let [state, effects] = slotsTransition(initialSlots(DEFAULT_ORDER), { type: 'assigned', lingering: 4 })
    expect(effects).toEqual(Array.from({ length: 4 }, () => ({ type: 'start-timer' })))
    ;[state, effects] = slotsTransition(state, { type: 'acquired' })
    expect(effects.filter(({ type }) => type === 'open')).toEqual([{ type: 'open', subscription: 'module' }])
    ;[state] = slotsTransition(state, { type: 'refused', subscription: 'module' })
    ;[state, effects] = slotsTransition(state, { type: 'slot-expired' })
    expect(effects).toEqual([])
    ;[state, effects] = slotsTransition(state, { type: 'opened', subscription: 'module' })
    expect(effects).toEqual([{ type: 'open', subscription: 'trade' }])
    ;[state, effects] = slotsTransition(state, { type: 'slot-expired' })
    expect(effects).toEqual([{ type: 'open', subscription: 'position' }])
  })

  test('counts no connection for unselected subscriptions, and closes a single one at once', () => {
    let [state] = slotsTransition(initialSlots(['trade']), { type: 'acquired' })
    expect(usedConnections(state)).toBe(1)
    let effects: readonly SlotsEffect[]
    ;[state, effects] = slotsTransition(state, { type: 'drain', now: false })
    expect(effects).toEqual([{ type: 'close', subscription: 'trade' }])
    ;[state, effects] = slotsTransition(state, { type: 'closed', subscription: 'trade' })
    expect(effects).toEqual([{ type: 'start-timer' }, { type: 'released', lingering: 1 }])
  })

  test.each([
    ['trade', 'module', 'position'],
    ['position', 'trade', 'module'],
  ] as const)('closes module events first, also if %s events are opened first', (...order) => {
    const effects = drainEffects(order)
    expect(effects).toEqual([{ type: 'close', subscription: 'module' }])
  })

  test('closes trade and position events together if there are no module events', () => {
    expect(drainEffects(['position', 'trade'])).toEqual([
      { type: 'close', subscription: 'position' },
      { type: 'close', subscription: 'trade' },
    ])
  })

  test('counts no lingering connection for a subscription that is closed while it is refused', () => {
    let [state] = slotsTransition(initialSlots(['trade']), { type: 'acquired' })
    let effects: readonly SlotsEffect[]
    ;[state] = slotsTransition(state, { type: 'refused', subscription: 'trade' })
    ;[state, effects] = slotsTransition(state, { type: 'drain', now: true })
    expect(effects).toEqual([{ type: 'close', subscription: 'trade' }])
    expect(usedConnections(state)).toBe(0)
    const [retried] = slotsTransition(state, { type: 'opened', subscription: 'trade' })
    expect(usedConnections(retried)).toBe(1)
    ;[, effects] = slotsTransition(state, { type: 'closed', subscription: 'trade' })
    expect(effects).toEqual([{ type: 'released', lingering: 0 }])
  })

  test('releases an app that was never acquired at once, and ignores late events', () => {
    const idle = initialSlots(DEFAULT_ORDER)
    const [released, effects] = slotsTransition(idle, { type: 'drain', now: false })
    expect(effects).toEqual([{ type: 'released', lingering: 0 }])
    for (const event of [
      { type: 'assigned', lingering: 1 },
      { type: 'acquired' },
      { type: 'opened', subscription: 'trade' },
      { type: 'refused', subscription: 'trade' },
      { type: 'dropped', subscription: 'trade' },
      { type: 'drain', now: true },
      { type: 'slot-expired' },
    ] satisfies SlotsEvent[])
      expect(slotsTransition(released, event)).toEqual([released, []])
  })

  test('passes the lingering connections of earlier holders to the next one if it drains before it had the stream', () => {
    const [given] = slotsTransition(initialSlots(DEFAULT_ORDER), { type: 'assigned', lingering: 3 })
    const [freed] = slotsTransition(given, { type: 'slot-expired' })
    const [, effects] = slotsTransition(freed, { type: 'drain', now: false })
    expect(effects).toEqual([{ type: 'released', lingering: 2 }])
  })

  test('drains with a limit of four connections, which never leaves three free ones with trade and position', () => {
    let [state] = slotsTransition(initialSlots(DEFAULT_ORDER, 4), { type: 'acquired' })
    let effects: readonly SlotsEffect[] = []
    const dispatch = (event: SlotsEvent): void => {
      ;[state, effects] = slotsTransition(state, event)
    }
    for (const subscription of DEFAULT_ORDER) dispatch({ type: 'opened', subscription })
    dispatch({ type: 'drain', now: false })
    expect(effects).toEqual([{ type: 'close', subscription: 'module' }])
    dispatch({ type: 'closed', subscription: 'module' })
    expect(effects).toEqual([{ type: 'start-timer' }])
    dispatch({ type: 'slot-expired' })
    expect(effects).toEqual([
      { type: 'close', subscription: 'trade' },
      { type: 'close', subscription: 'position' },
    ])
    dispatch({ type: 'closed', subscription: 'trade' })
    dispatch({ type: 'closed', subscription: 'position' })
    expect(effects).toEqual([{ type: 'start-timer' }, { type: 'released', lingering: 2 }])
  })

  test('drains although a flapping connection leaves more and more lingering connections', async () => {
    const lingerMs = 60_000
    const { clock, service, relays } = await begin(lingerMs)
    flap(clock, 50_000, () => relays[0].drop('trade'))
    await clock.advance(200_000)
    relays[0].onReleased(relays[1].take)
    const fromMs = clock.now()
    relays[0].dispatch({ type: 'drain', now: false })
    await clock.advance(300_000)
    expect((relays[0].released?.atMs ?? Number.NaN) - fromMs).toBe(lingerMs + 40)
    // The two connections that it closed last, and one that was lost after module events were closed.
    expect(relays[0].released?.lingering).toBe(3)
    const flowsAfterMs = DEFAULT_ORDER.map((one) => (relays[1].flowsAt.get(one) ?? Number.NaN) - fromMs)
    // Two of five connections are free. The next relay waits for the lingering ones from when it acquires the app.
    expect(flowsAfterMs).toEqual([lingerMs + 140, lingerMs + 140, 2 * lingerMs + 140])
    expect(service.most).toBe(MAX)
    expect(service.refusals).toBe(0)
  })

  test('never opens more connections than the limit, and always releases an app that it drains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.constantFrom(0, 60_000),
        fc.constantFrom(0, 0.4),
        fc.integer({ min: 1, max: MAX }),
        // Drops connections repeatedly, also during a drain.
        fc.constantFrom(undefined, 7_000, 50_000, 59_000),
        async (seed, lingerMs, drops, limit, flapMs) => {
          const random = createSeededRandom(seed)
          const clock = createVirtualClock(0)
          const service = createService(clock, lingerMs, limit)
          let holder = createRelay(clock, service, lingerMs)
          const relays = [holder]
          const stopFlapping = flap(clock, flapMs, () => {
            for (const relay of relays) relay.drop(random() < 0.5 ? 'trade' : 'position')
          })
          holder.take(0)
          for (let step = 0; step < 12; step += 1) {
            await clock.advance(Math.floor(random() * 90_000))
            const drawn = random()
            if (drawn < drops) holder.drop(DEFAULT_ORDER[Math.floor(random() * 3)] ?? 'trade')
            else if (drawn < 0.7) {
              const next = createRelay(clock, service, lingerMs)
              const before = holder
              holder = next
              relays.push(next)
              before.onReleased(next.take)
              const fromMs = clock.now()
              before.dispatch({ type: 'drain', now: random() < 0.3 })
              await clock.advance(1_000_000)
              // Closing takes 20 ms: first module events, then the others.
              expect((before.released?.atMs ?? Number.NaN) - fromMs).toBeLessThanOrEqual(lingerMs + 40)
            } else {
              holder.die()
              const left = Math.min(limit, 3 + holder.state.lingering)
              holder = createRelay(clock, service, lingerMs)
              relays.push(holder)
              holder.take(left)
            }
            expect(service.most).toBeLessThanOrEqual(limit)
          }
          // A lost connection is opened again at once and may be rejected. Those that a relay opens by itself never are.
          if (drops === 0 && flapMs === undefined) expect(service.refusals).toBe(0)
          stopFlapping()
          await clock.advance(1_000_000)
          const expected = DEFAULT_ORDER.map((_, at) => (at < limit ? 'open' : 'waiting'))
          expect(DEFAULT_ORDER.map((one) => holder.state.subscriptions[one])).toEqual(expected)
        },
      ),
      { numRuns: 100 },
    )
  })
})

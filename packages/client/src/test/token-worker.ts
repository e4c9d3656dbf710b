/**
 * One of several processes that share a token. At each important point it waits until the test lets it go on, so that the
 * test decides where it is killed.
 */
import { createHash } from 'node:crypto'
import { type Clock, type Store, systemClock } from '@brokerwire/core'
import { addAbortListener } from '@brokerwire/core/internal'
import { createBrokerage, type EdgeBrokerage, rateLimiter } from '@brokerwire/edge'
import { report, serveCalls } from '@brokerwire/testing/child-calls'
import { countKey, type OpenedStore, openStore, type StorePlace } from './store-place.ts'

/** The actions of a worker. */
export type Asked =
  | 'get'
  | 'renew'
  | 'request'
  /** Sets this process's clock five minutes forward. */
  | 'later'
  /** Adds one to the counter by compare-and-set. The result is `1`, or `0` if another worker was faster. */
  | 'count'

/** The settings of a worker. */
export interface WorkerSettings {
  readonly baseUrl: string
  readonly place: StorePlace
  readonly appKey: string
  readonly appSecret: string
}

/** A message that a worker sends without a call. */
export type WorkerReport =
  /** The worker waits until `go` is called with this id. */
  | { readonly type: 'point'; readonly id: number; readonly name: string; readonly atNs: string }
  | { readonly type: 'trace'; readonly name: string; readonly atNs: string }

const waiting = new Map<number, () => void>()
let points = 0
let offsetMs = 0
let brokerage: EdgeBrokerage | undefined
let counter = ''
let opened: OpenedStore | undefined

const send = (message: WorkerReport): void => report(message)
/** The same clock in all processes of a machine. */
const atNs = (): string => process.hrtime.bigint().toString()
const note = (name: string, instant = atNs()): void => send({ type: 'trace', name, atNs: instant })

function point(name: string): Promise<void> {
  points += 1
  const id = points
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    send({ type: 'point', id, name, atNs: atNs() })
  })
}

const clock: Clock = { now: () => Date.now() + offsetMs, setTimer: systemClock.setTimer }

function watchedStore(store: Store): Store {
  return {
    ...store,
    async compareAndSet(key, expected, next) {
      const isWritten = await store.compareAndSet(key, expected, next)
      const { pending } = JSON.parse(next ?? '{}') as { pending?: { checkedAtMs?: number } }
      if (isWritten && pending !== undefined && pending.checkedAtMs === undefined) await point('saved')
      return isWritten
    },
    async lock(key, options) {
      const lock = await store.lock?.(key, options)
      if (lock?.lost) addAbortListener(lock.lost, () => note('lost'))
      await point('locked')
      return {
        lost: lock?.lost,
        async release() {
          note('releasing')
          await lock?.release()
        },
      }
    },
  }
}

const watchedFetch: typeof fetch = async (input, init) => {
  const call = new URL(String(input)).pathname.split('/').at(-1)
  await point(`${call}-sending`)
  try {
    const response = await fetch(input, init)
    await point(`${call}-response`)
    return response
  } catch (error) {
    note(`${call}-failed`)
    throw error
  }
}

/** No token leaves this process. */
const digestOf = (token: { reveal(): string } | undefined): string =>
  createHash('sha256')
    .update(token?.reveal() ?? '')
    .digest('hex')

async function carryOut(what: Asked): Promise<string> {
  switch (what) {
    case 'get':
      return digestOf((await brokerage?.accessTokens.get())?.token)
    case 'later':
      offsetMs += 300_000
      return ''
    case 'count': {
      const before = await opened?.store.get(counter)
      const next = String(Number(before ?? 0) + 1)
      return (await opened?.store.compareAndSet(counter, before, next)) ? '1' : '0'
    }
    case 'renew':
      return digestOf((await brokerage?.accessTokens.renew())?.token)
    case 'request':
      await brokerage?.http.request({ method: 'GET', path: '/openapi/simulator/echo' })
      return digestOf((await brokerage?.accessTokens.peek())?.token)
  }
}

const commands = {
  async open({ baseUrl, place, appKey, appSecret }: WorkerSettings): Promise<void> {
    counter = countKey(appKey)
    opened = await openStore(place)
    brokerage = createBrokerage({
      region: 'us',
      environment: 'production',
      appKey,
      appSecret,
      store: watchedStore(opened.store),
      clock,
      overrides: { baseUrl },
      http: { fetch: watchedFetch as never },
      // Fast polls, so that the test does not wait for them; another test checks the limit.
      plugins: [rateLimiter({ limit: 10_000 })],
      tokens: { pollIntervalMs: 20, storePollIntervalMs: 200 },
    })
  },
  do: carryOut,
  /** Lets the worker go on from a point. */
  go(id: number): void {
    waiting.get(id)?.()
    waiting.delete(id)
  },
}

/** The functions that the process offers. */
export type WorkerCommands = typeof commands

serveCalls(commands)

/** A process that the system stops cannot learn that its lock is lost. It reports the stop when it runs again. */
const STALL_NS = 250_000_000n
let lastNs = process.hrtime.bigint()
setInterval(() => {
  const nowNs = process.hrtime.bigint()
  if (nowNs - lastNs > STALL_NS) {
    note('stall-began', lastNs.toString())
    note('stalled')
  }
  lastNs = nowNs
}, 50).unref()

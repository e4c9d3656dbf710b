/**
 * One of the processes of the test across processes. It does what it is told by messages, and stops at each point that
 * matters until it is told to go on: so the test decides where it is killed.
 */
import { createHash } from 'node:crypto'
import { type Clock, type Store, systemClock } from '@brokerwire/core'
import { createBrokerage, type EdgeBrokerage } from '@brokerwire/edge'
import { openStore } from './store-place.ts'
import type { FromWorker, ToWorker } from './token-workers.ts'

const waiting = new Map<number, () => void>()
let points = 0
let offsetMs = 0
let brokerage: EdgeBrokerage | undefined

const send = (message: FromWorker): void => {
  process.send?.(message)
}
/** The same clock in all processes of a machine. */
const atNs = (): string => process.hrtime.bigint().toString()

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
      const held = await store.lock?.(key, options)
      await point('locked')
      return {
        lost: held?.lost,
        async release() {
          send({ type: 'trace', name: 'releasing', atNs: atNs() })
          await held?.release()
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
    await point(`${call}-answered`)
    return response
  } catch (error) {
    send({ type: 'trace', name: `${call}-failed`, atNs: atNs() })
    throw error
  }
}

/** Tokens themselves stay here. */
const digestOf = (token: { reveal(): string } | undefined): string =>
  createHash('sha256')
    .update(token?.reveal() ?? '')
    .digest('hex')

async function carryOut(message: Extract<ToWorker, { readonly type: 'do' }>): Promise<string> {
  switch (message.what) {
    case 'get':
      return digestOf((await brokerage?.accessTokens.get())?.token)
    case 'renew':
      // The five minutes between two creates are over by this process's clock.
      offsetMs += 300_000
      return digestOf((await brokerage?.accessTokens.renew())?.token)
    case 'request':
      await brokerage?.http.request({ method: 'GET', path: '/openapi/simulator/echo' })
      return digestOf((await brokerage?.accessTokens.peek())?.token)
  }
}

process.on('message', async (message: ToWorker) => {
  switch (message.type) {
    case 'open':
      brokerage = createBrokerage({
        region: 'us',
        environment: 'production',
        appKey: message.appKey,
        appSecret: message.appSecret,
        store: watchedStore(await openStore(message.place)),
        clock,
        overrides: { httpUrl: message.httpUrl },
        http: { fetch: watchedFetch as never },
        // Polls come fast, so that nobody waits for them: the limit has a test of its own.
        tokens: { pollIntervalMs: 20, storeLookMs: 20, rateLimit: { limit: 10_000 } },
      })
      send({ type: 'ready' })
      break
    case 'go':
      waiting.get(message.id)?.()
      waiting.delete(message.id)
      break
    case 'do':
      carryOut(message).then(
        (result) => send({ type: 'done', id: message.id, result }),
        (error: unknown) => send({ type: 'done', id: message.id, error: String(error) }),
      )
  }
})
process.on('disconnect', () => process.exit())

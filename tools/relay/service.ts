/** What the service sends: events of all keys in bursts of drawn sizes, and some trade events once more. All of it is kept. */
import type { SimulatedApp } from '@brokerwire/simulator'
import type { Random } from '../attacks/random.ts'
import { pause } from '../stores/troubles.ts'
import type { SentEvent } from './judge.ts'

const MODULES = ['application', 'journal', 'funding'] as const
/** Of so many trade events one is of a position. */
const POSITION_EVERY = 5
const MOST_AT_ONCE = 400
const MOST_AGAIN = 20

/** How many are still to be sent. */
export interface Quota {
  modules: number
  trades: number
}

export interface Service {
  /** What was sent, by key. */
  readonly sent: ReadonlyMap<string, SentEvent[]>
  /** Sends until nothing is left of the quota, in bursts with pauses; all that is left when `isOver`. */
  send(quota: Quota, isOver: () => boolean): Promise<void>
  /** Of every key some of each. */
  sendSome(count: number): void
  /** Trade events once more, as the service may do. @returns How many. */
  repeat(): number
}

export function createService(apps: readonly SimulatedApp[], random: Random): Service {
  const sent = new Map<string, SentEvent[]>(apps.map(({ name }) => [name, []]))
  let trades = 0
  const sendModule = (app: SimulatedApp): void => {
    const { id, eventType, payload } = app.emitModule({ module: random.pick(MODULES) })
    sent.get(app.name)?.push({ stream: 'module', eventType, id, atMs: Date.now(), payload })
  }
  const sendTrade = (app: SimulatedApp): void => {
    trades += 1
    const stream = trades % POSITION_EVERY === 0 ? 'position' : 'trade'
    const input = { accountId: random.pick(app.accounts) }
    const { requestId, payload } = stream === 'position' ? app.emitPosition(input) : app.emitOrder(input)
    sent.get(app.name)?.push({ stream, eventType: stream, id: requestId, atMs: Date.now(), payload })
  }
  return {
    sent,
    async send(quota, isOver) {
      while (quota.modules + quota.trades > 0) {
        const atOnce = random.integer(1, MOST_AT_ONCE)
        for (let n = 0; n < atOnce && quota.modules + quota.trades > 0; n += 1) {
          // In the proportion of what is left.
          const isTrade = random.next() * (quota.modules + quota.trades) < quota.trades
          const app = random.pick(apps)
          if (isTrade) {
            quota.trades -= 1
            sendTrade(app)
          } else {
            quota.modules -= 1
            sendModule(app)
          }
        }
        await pause(isOver() ? 1 : random.integer(20, 400))
      }
    },
    sendSome(count) {
      for (const app of apps)
        for (let n = 0; n < count; n += 1) {
          sendModule(app)
          sendTrade(app)
        }
    },
    repeat() {
      return random.pick(apps).redeliverTradeEvents(random.integer(1, MOST_AGAIN)).length
    },
  }
}

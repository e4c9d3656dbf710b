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
  /** Of every key so many module events, of each module in turn, and so many trade events, of each sort in turn. */
  sendSome(count: number): void
  /** Trade events once more, as the service may do. @returns How many. */
  repeat(): number
}

export function createService(apps: readonly SimulatedApp[], random: Random): Service {
  const sent = new Map<string, SentEvent[]>(apps.map(({ name }) => [name, []]))
  let turns = 0
  const sendModule = (app: SimulatedApp, module: (typeof MODULES)[number]): void => {
    const { id, eventType, payload } = app.emitModule({ module })
    sent.get(app.name)?.push({ stream: 'module', eventType, id, atMs: Date.now(), payload })
  }
  const sendTrade = (app: SimulatedApp, number: number): void => {
    const stream = number % POSITION_EVERY === 0 ? 'position' : 'trade'
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
            sendTrade(app, quota.trades)
            quota.trades -= 1
          } else {
            sendModule(app, random.pick(MODULES))
            quota.modules -= 1
          }
        }
        await pause(isOver() ? 1 : random.integer(20, 400))
      }
    },
    sendSome(count) {
      for (const app of apps)
        for (let turn = turns; turn < turns + count; turn += 1) {
          sendModule(app, MODULES[turn % MODULES.length] ?? 'application')
          sendTrade(app, turn)
        }
      turns += count
    },
    repeat() {
      return random.pick(apps).redeliverTradeEvents(random.integer(1, MOST_AGAIN)).length
    },
  }
}

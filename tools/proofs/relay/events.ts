/** Events that the service sends. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatedApp } from '@brokerwire/simulator'
import type { Random } from '../random.ts'
import type { SentEvent } from './verify.ts'

const MODULES = ['application', 'journal', 'funding'] as const
/** One in this number of trade events is a position event. */
const POSITION_EVERY = 5
const MAX_BURST = 400
const MAX_REPEATS = 20

export type Events = ReturnType<typeof createEvents>

/** Sends events for all apps, and records them. */
export function createEvents(apps: readonly SimulatedApp[], random: Random) {
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
    sent: sent as ReadonlyMap<string, readonly SentEvent[]>,
    /** Sends events in bursts with pauses. After `isOver` has returned true, there are no more pauses. */
    async send(quota: { modules: number; trades: number }, isOver: () => boolean): Promise<void> {
      const left = { ...quota }
      while (left.modules + left.trades > 0) {
        for (let n = random.integer(1, MAX_BURST); n > 0 && left.modules + left.trades > 0; n -= 1) {
          const isTrade = random.next() * (left.modules + left.trades) < left.trades
          const app = random.pick(apps)
          if (isTrade) sendTrade(app, left.trades)
          else sendModule(app, random.pick(MODULES))
          left[isTrade ? 'trades' : 'modules'] -= 1
        }
        await sleep(isOver() ? 1 : random.integer(20, 400))
      }
    },
    /** Sends `count` module events and `count` trade events of each sort for every app. */
    sendSome(count: number): void {
      for (const app of apps)
        for (let turn = turns; turn < turns + count; turn += 1) {
          sendModule(app, MODULES[turn % MODULES.length] ?? 'application')
          sendTrade(app, turn)
        }
      turns += count
    },
    /**
     * Sends trade events again, as the service may do.
     *
     * @returns The number of events.
     */
    repeat: (): number => random.pick(apps).redeliverTradeEvents(random.integer(1, MAX_REPEATS)).length,
  }
}

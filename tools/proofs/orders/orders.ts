/**
 * `pnpm proof orders [--kills N]`: processes that place orders through the journal, with a file store, are
 * killed with SIGKILL at random times. The simulator runs in another process. It loses requests and
 * responses, delays requests, and returns delayed results of queries. The proof tests the journal, not the
 * real service: the simulator rejects an identifier that was used before, and the delay of its queries is
 * limited.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderEntry } from '@brokerwire/orders'
import { startChild } from '@brokerwire/testing/child'
import { concurrently } from '../../ci/lib/concurrently.ts'
import type { Case, CaseContext, Proof } from '../harness.ts'
import type { Random } from '../random.ts'
import { until } from '../wait.ts'
import type { OrderServiceCommands } from './order-service.ts'
import type { PlacerCommands, PlacerOptions, PlacerReport } from './placer-process.ts'
import { SETTLE_MS } from './times.ts'
import { verify } from './verify.ts'

const SERVICE = new URL('order-service.ts', import.meta.url)
const PLACER = new URL('placer-process.ts', import.meta.url)

/** Number of processes that share a journal. Only the first process sends a lost order again. */
const SLOTS = 3
/** Number of rounds that run at the same time, each with its own service and journal. */
const ROUNDS_AT_ONCE = 4
const MAX_KILLS_OF_A_ROUND = 24
/**
 * Maximum number of orders that a process begins before it is killed. The number is random, and so is the
 * time from the beginning of the last order to the kill.
 */
const MAX_ORDERS = 8
const MAX_KILL_DELAY_MS = 150
/**
 * Maximum lifetime of a process. It is needed because a process begins no order while all of its orders wait
 * for queries.
 */
const MAX_LIFE_MS = 6000

const resendOf = (slot: number): 'never' | 'once' => (slot === 0 ? 'once' : 'never')

const createCounts = () => ({
  kills: 0,
  orders: 0,
  entries: 0,
  accepted: 0,
  rejected: 0,
  'not-found': 0,
  'not-sent': 0,
  'found by reading': 0,
  'sent twice': 0,
  'unknown at first': 0,
  doubled: 0,
  'without entry': 0,
  wrong: 0,
})

type Counts = ReturnType<typeof createCounts>

/**
 * Kills the processes of one slot, one after the other. Each new process continues with the orders that were
 * in progress when the last process was killed.
 */
async function killRepeatedly(
  options: PlacerOptions,
  slot: number,
  kills: number,
  random: Random,
  fail: (what: string) => void,
): Promise<void> {
  let begun = 0
  for (let kill = 0; kill < kills; kill += 1) {
    const target = random.integer(1, MAX_ORDERS)
    let onBegun = (): void => {}
    let begunHere = 0
    const isEnough = new Promise<void>((resolve) => {
      onBegun = () => {
        begunHere += 1
        if (begunHere === target) resolve()
      }
    })
    const child = await startChild<PlacerCommands>(PLACER, (message) => {
      const report = message as PlacerReport
      if ('failed' in report) fail(`slot ${slot}: ${report.failed}`)
      else {
        begun = Math.max(begun, report.begun)
        onBegun()
      }
    })
    await child.call('start', options, slot, Math.max(0, begun - 2), random.chance(0.5))
    await Promise.race([isEnough, sleep(MAX_LIFE_MS)])
    await sleep(random.next() * MAX_KILL_DELAY_MS)
    await child.kill()
  }
}

async function runRound(
  { fail, print, atEnd, folder }: CaseContext,
  round: number,
  kills: number,
  random: Random,
  counts: Counts,
): Promise<void> {
  const service = await startChild<OrderServiceCommands>(SERVICE)
  atEnd(() => service.kill())
  const access = await service.call('start', random.integer(0, 2 ** 31))
  const optionsOf = (slot: number): PlacerOptions => ({
    service: access,
    directory: join(folder, `journal-${round}`),
    resend: resendOf(slot),
  })
  const share = (slot: number): number => Math.floor((kills + slot) / SLOTS)
  await Promise.all(
    Array.from({ length: SLOTS }, (_, slot) =>
      killRepeatedly(optionsOf(slot), slot, share(slot), random.fork(slot), fail),
    ),
  )
  const reader = await startChild<PlacerCommands>(PLACER)
  atEnd(() => reader.kill())
  const check = async (mayFail: boolean): Promise<readonly OrderEntry[]> => {
    // On a busy machine, the lock of a killed process may be released only after the journal has stopped
    // waiting for it.
    await until('entries that no process works on', async () => {
      const { skipped } = await reader.call('recover', optionsOf(1), SETTLE_MS + 1000)
      return skipped.every(({ reason }) => reason !== 'in-use') || undefined
    })
    const entries = await reader.call('list', optionsOf(1))
    const orders = await service.call('orders')
    const placements = await service.call('placements')
    const maxPlacements = (id: string): number => (id.startsWith('slot-0') ? 2 : 1)
    const wrong = verify({ entries, orders, placements, maxPlacements, mayFail })
    for (const what of wrong) {
      fail(`round ${round}: ${what}`)
      print(`round ${round}: ${what}`)
    }
    counts.doubled += wrong.filter((what) => what.startsWith('doubled')).length
    counts['without entry'] += wrong.filter((what) => what.startsWith('no entry')).length
    counts.wrong += wrong.length
    if (!mayFail) counts.orders += orders.length
    return entries
  }
  const first = await check(true)
  counts['unknown at first'] += first.filter(({ state }) => state === 'unknown').length
  await service.call('calm')
  const entries = await check(false)
  const count = (test: (entry: OrderEntry) => boolean): number => entries.filter(test).length
  counts.kills += kills
  counts.entries += entries.length
  for (const state of ['accepted', 'rejected', 'not-found', 'not-sent'] as const)
    counts[state] += count((entry) => entry.state === state)
  counts['found by reading'] += count(({ source }) => source?.startsWith('orders.') === true)
  counts['sent twice'] += count(({ resentAtMs }) => resentAtMs !== undefined)
  await reader.kill()
  await service.kill()
}

const killed = (kills: number): Case => ({
  name: 'killed at random instants',
  promise:
    'no order is placed twice or without an entry, and after recover() each entry agrees with the service',
  async run(context) {
    const { random, print, fail } = context
    const counts = createCounts()
    const rounds = Math.max(Math.ceil(kills / MAX_KILLS_OF_A_ROUND), Math.min(2, kills))
    await concurrently(Array(rounds).keys(), ROUNDS_AT_ONCE, async (round) => {
      const share = Math.floor((kills + round) / rounds)
      await runRound(context, round, share, random.fork(`round ${round}`), counts)
      print(
        `round ${round + 1} of ${rounds}: ${counts.kills} kills, ${counts.orders} orders, ${counts.wrong} wrong`,
      )
    })
    if (counts.orders === 0 || counts['found by reading'] === 0) fail('no order was found by reading')
    return { ...counts }
  },
})

export const proof: Proof = {
  flags: { kills: 'kills of processes that place orders (1000; short: 24)' },
  cases: ({ flag }) => [killed(flag('kills', 1000, 24))],
}

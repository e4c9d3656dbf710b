/** A consumer that dies before its cursor has a position. */
import { join } from 'node:path'
import { countNotices } from '../ledger.ts'
import type { Scenario } from '../scenario.ts'
import { startWorld } from '../world.ts'

const FOREVER_MS = 3_600_000

const beforeFirstCommit: Scenario = {
  name: 'a consumer killed with SIGKILL before its first commit',
  promise: 'what it missed lies within the bounds of a gap that is told after each restart',
  async run(context) {
    const directory = join(context.folder, 'store')
    const world = await startWorld(context, { consumer: { directory } })
    const rounds = context.short ? 2 : 5
    let untold = 0
    let missed = 0
    for (let round = 1; round <= rounds; round += 1) {
      const firstMs = Date.now()
      // It handles the first event and never asks for the next one.
      await world.consumer.call('slowDown', FOREVER_MS)
      await world.server.call('emitManyModules', 3)
      await world.handled(round)
      await world.killConsumer()
      await world.server.call('emitManyModules', 2)
      const lastMs = Date.now()
      missed += 4
      await world.startConsumer()
      const ledger = await world.until('the gap', (found) => countNotices(found, 'gap') >= round)
      const told = ledger.notices.some(
        (notice) => notice.kind === 'gap' && (notice.fromMs ?? Infinity) <= firstMs && notice.toMs >= lastMs,
      )
      if (!told) untold += 1
    }
    context.promise(untold === 0, `each gap tells what was missed, but ${untold} do not`)
    const before = (await world.server.call('moduleIds')).length
    const sent = await world.server.call('emitManyModules', 5)
    const ledger = await world.until('the last events', ({ ids }) => ids.length >= rounds + sent - before)
    const after = (await world.server.call('moduleIds')).slice(before)
    context.promise(
      after.every((id) => ledger.ids.includes(id)),
      'and it goes on',
    )
    return { kills: rounds, missed, untold }
  },
}

export const FIRST_COMMIT_SCENARIOS: readonly Scenario[] = [beforeFirstCommit]

/** Faults of frames, and large ones. */
import { FRAME_FAULTS } from '@brokerwire/simulator'
import { compareIds, countNotices } from '../ledger.ts'
import type { Scenario } from '../scenario.ts'
import { promiseExact, startWorld } from '../world.ts'

const MIB = 1024 * 1024
const LIMIT_BYTES = 16 * MIB

const faultyFrames: Scenario = {
  name: 'duplicate, corrupt, cut off and mislabelled frames',
  promise: 'of each fault, the module stream drops the double and fetches again what could not be read',
  async run(context) {
    const world = await startWorld(context)
    let sent = await world.server.call('emitManyModules', 1)
    await world.handled(sent)
    const rounds = context.short ? 2 : 10
    // The two others are scenarios of their own.
    const kinds = FRAME_FAULTS.filter((name) => name !== 'split' && name !== 'swap')
    for (let round = 0; round < rounds; round += 1) {
      for (const fault of kinds) {
        await world.server.call('frameFault', fault, 1)
        sent = await world.server.call('emitManyModules', 5)
        await world.handled(sent)
      }
    }
    const ledger = await world.handled(sent)
    const figures = promiseExact(context, ledger, await world.server.call('moduleIds'))
    return { faults: rounds * kinds.length, ...figures, reconnects: countNotices(ledger, 'reconnecting') }
  },
}

const reordered: Scenario = {
  name: 'reordered frames',
  promise: 'events are handled in the order received, none is missing, invented or repeated',
  async run(context) {
    const world = await startWorld(context)
    const rounds = context.short ? 10 : 100
    let sent = await world.server.call('emitManyModules', 2)
    await world.handled(sent)
    for (let round = 0; round < rounds; round += 1) {
      await world.server.call('frameFault', 'swap', 1)
      sent = await world.server.call('emitManyModules', 2)
      await world.handled(sent)
    }
    const ledger = await world.handled(sent)
    const ids = await world.server.call('moduleIds')
    const received = ids.map((id, index) =>
      index < 2 ? id : (ids[index % 2 === 0 ? index + 1 : index - 1] ?? ''),
    )
    const inOrder = ledger.ids.join() === received.join()
    context.promise(inOrder, 'each pair the wrong way round, as it was received')
    const { missing, invented, repeats } = compareIds(ledger.ids, ids)
    context.promise(missing + invented + repeats === 0, '0 missing, invented and repeated')
    return { swapped: rounds, events: ids.length, missing, invented, repeats }
  },
}

const redelivered: Scenario = {
  name: 'old frames among new ones',
  promise: 'a trade message that comes again later is dropped, and the order received is kept',
  async run(context) {
    const world = await startWorld(context, { trade: true })
    const sent: string[] = []
    const rounds = context.short ? 20 : 200
    for (let round = 0; round < rounds; round += 1) {
      sent.push(...(await world.server.call('emitOrders', 5)))
      await world.server.call('redeliver', 3)
    }
    sent.push(...(await world.server.call('emitOrders', 1)))
    const ledger = await world.handled(sent.length)
    return { redelivered: rounds * 3, ...promiseExact(context, ledger, sent) }
  },
}

const split: Scenario = {
  name: 'a frame split at every byte',
  promise: 'frames that arrive byte by byte are put together, without a reconnect',
  async run(context) {
    const world = await startWorld(context)
    const count = context.short ? 20 : 200
    await world.server.call('frameFault', 'split', count)
    const sent = await world.server.call('emitManyModules', count)
    const ledger = await world.handled(sent)
    const reconnects = countNotices(ledger, 'reconnecting')
    context.promise(reconnects === 0, `0 reconnects, but ${reconnects}`)
    return { ...promiseExact(context, ledger, await world.server.call('moduleIds')), reconnects }
  },
}

const manyAccounts: Scenario = {
  name: '1,000 accounts',
  promise: 'one subscription carries them all, and an order of each arrives',
  async run(context) {
    const accounts = Array.from({ length: 1000 }, (_, n) => `ACCOUNT${String(n).padStart(4, '0')}`)
    const world = await startWorld(context, { trade: true, simulator: { accounts } })
    const sent = await world.server.call('emitOrders', accounts.length)
    const ledger = await world.handled(sent.length)
    const subscriptions = await world.server.call('openStreams')
    context.promise(subscriptions === 1, `1 subscription, but ${subscriptions}`)
    return { accounts: accounts.length, subscriptions, ...promiseExact(context, ledger, sent) }
  },
}

const large: Scenario = {
  name: 'a 4 MiB payload, and one above the limit of 16 MiB',
  promise: 'the first arrives; the second costs a reconnect that says why, a gap, and nothing after it',
  async run(context) {
    const world = await startWorld(context, { trade: true })
    const first = await world.server.call('emitLargeOrder', 4 * MIB)
    await world.handled(1)
    await world.server.call('emitLargeOrder', LIMIT_BYTES + 1)
    await world.until('the gap', (ledger) => countNotices(ledger, 'gap') === 1)
    const [last = ''] = await world.server.call('emitOrders', 1)
    const ledger = await world.handled(2)
    const { missing, invented } = compareIds(ledger.ids, [first, last])
    context.promise(missing + invented === 0, 'the first and the last, and no other')
    const reasons = ledger.notices.flatMap((notice) =>
      notice.kind === 'reconnecting' ? [notice.status ?? notice.reason] : [],
    )
    const told = reasons.join() === 'resource_exhausted'
    context.promise(told, `one reconnect because of resource_exhausted, but ${reasons.join()}`)
    return { delivered: ledger.ids.length, reconnects: reasons.length, status: reasons.join() }
  },
}

export const FRAME_SCENARIOS: readonly Scenario[] = [
  faultyFrames,
  reordered,
  redelivered,
  split,
  manyAccounts,
  large,
]

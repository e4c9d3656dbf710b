/** Faults of frames, and large frames. */
import { FRAME_FAULTS, type FrameFault } from '@brokerwire/simulator'
import type { Case } from '../frame.ts'
import { promiseExact, startFixture } from './fixture.ts'
import { compareIds, countNotices } from './ledger.ts'

const MIB = 1024 * 1024
const LIMIT_BYTES = 16 * MIB
/** Faults that only the message suffers from. */
const UNDECODABLE: ReadonlySet<FrameFault> = new Set<FrameFault>([
  'corrupt-message',
  'invalid-utf8',
  'compressed-flag',
  'oversized-message',
])

export const FRAME_CASES: readonly Case[] = [
  {
    name: 'duplicate frames, and frames that break the connection',
    promise: 'the module stream drops duplicates and receives again what was lost with a connection',
    async run(context) {
      const fixture = await startFixture(context)
      let sent = await fixture.emit(1)
      await fixture.handled(sent)
      const rounds = context.short ? 2 : 10
      const kinds = FRAME_FAULTS.filter(
        (name) => !UNDECODABLE.has(name) && name !== 'split' && name !== 'swap',
      )
      for (let round = 0; round < rounds; round += 1) {
        for (const fault of kinds) {
          await fixture.service.call('frameFault', fault, 1)
          sent = await fixture.emit(5)
          await fixture.handled(sent)
        }
      }
      const ledger = await fixture.handled(sent)
      const figures = promiseExact(context, ledger, await fixture.moduleIds())
      return { faults: rounds * kinds.length, ...figures, reconnects: countNotices(ledger, 'reconnecting') }
    },
  },
  {
    name: 'frames whose message cannot be decoded',
    promise: 'each is delivered as undecodable, all others arrive, on one connection',
    async run(context) {
      const fixture = await startFixture(context)
      const rounds = context.short ? 2 : 20
      let faults = 0
      for (let round = 0; round < rounds; round += 1) {
        for (const fault of UNDECODABLE) {
          await fixture.service.call('frameFault', fault, 1)
          // The first one is hit.
          await fixture.emit(3)
          faults += 1
          await fixture.handled(2 * faults)
        }
      }
      const ids = await fixture.moduleIds()
      const decodable = ids.filter((_, index) => index % 3 !== 0)
      const ledger = await fixture.handled(decodable.length)
      const undecodable = countNotices(ledger, 'undecodable')
      const reconnects = countNotices(ledger, 'reconnecting')
      context.promise(undecodable === faults, `${faults} undecodable, but ${undecodable}`)
      context.promise(reconnects === 0, `0 reconnects, but ${reconnects}`)
      return { ...promiseExact(context, ledger, decodable), undecodable, reconnects }
    },
  },
  {
    name: 'reordered frames',
    promise: 'events are handled in the order received, none is missing, invented or repeated',
    async run(context) {
      const fixture = await startFixture(context)
      const rounds = context.short ? 10 : 100
      await fixture.handled(await fixture.emit(2))
      for (let round = 0; round < rounds; round += 1) {
        await fixture.service.call('frameFault', 'swap', 1)
        await fixture.handled(await fixture.emit(2))
      }
      const ids = await fixture.moduleIds()
      const ledger = await fixture.handled(ids.length)
      const received = ids.map((id, index) =>
        index < 2 ? id : (ids[index % 2 === 0 ? index + 1 : index - 1] ?? ''),
      )
      context.promise(
        ledger.ids.join() === received.join(),
        'each pair in the reverse order, as it was received',
      )
      const { missing, invented, repeats } = compareIds(ledger.ids, ids)
      context.promise(missing + invented + repeats === 0, '0 missing, invented and repeated')
      return { swapped: rounds, events: ids.length, missing, invented, repeats }
    },
  },
  {
    name: 'old frames among new ones',
    promise: 'a trade message that is repeated later is discarded, and the order received is kept',
    async run(context) {
      const fixture = await startFixture(context, { trade: true })
      const sent: string[] = []
      const rounds = context.short ? 20 : 200
      for (let round = 0; round < rounds; round += 1) {
        sent.push(...(await fixture.service.call('emitOrders', 5)))
        await fixture.service.call('redeliver', 3)
      }
      sent.push(...(await fixture.service.call('emitOrders', 1)))
      const ledger = await fixture.handled(sent.length)
      return { redelivered: rounds * 3, ...promiseExact(context, ledger, sent) }
    },
  },
  {
    name: 'a frame split at every byte',
    promise: 'frames that arrive byte by byte are put together, without a reconnect',
    async run(context) {
      const fixture = await startFixture(context)
      const count = context.short ? 20 : 200
      await fixture.service.call('frameFault', 'split', count)
      const ledger = await fixture.handled(await fixture.emit(count))
      const reconnects = countNotices(ledger, 'reconnecting')
      context.promise(reconnects === 0, `0 reconnects, but ${reconnects}`)
      return { ...promiseExact(context, ledger, await fixture.moduleIds()), reconnects }
    },
  },
  {
    name: '1,000 accounts',
    promise: 'one subscription carries them all, and an order of each arrives',
    async run(context) {
      const accounts = Array.from({ length: 1000 }, (_, n) => `ACCOUNT${String(n).padStart(4, '0')}`)
      const fixture = await startFixture(context, { trade: true, simulator: { accounts } })
      const sent = await fixture.service.call('emitOrders', accounts.length)
      const ledger = await fixture.handled(sent.length)
      const subscriptions = await fixture.service.call('openStreams')
      context.promise(subscriptions === 1, `1 subscription, but ${subscriptions}`)
      return { accounts: accounts.length, subscriptions, ...promiseExact(context, ledger, sent) }
    },
  },
  {
    name: 'a 4 MiB payload, and one above the limit of 16 MiB',
    promise:
      'the first arrives; of the second its length is delivered, without a reconnect and without a gap',
    async run(context) {
      const fixture = await startFixture(context, { trade: true })
      const first = await fixture.service.call('emitLargeOrder', 4 * MIB)
      await fixture.handled(1)
      await fixture.service.call('emitLargeOrder', LIMIT_BYTES + 1)
      const [last = ''] = await fixture.service.call('emitOrders', 1)
      const ledger = await fixture.handled(2)
      const { missing, invented } = compareIds(ledger.ids, [first, last])
      context.promise(missing + invented === 0, 'the first and the last, and no other')
      const undecodable = countNotices(ledger, 'undecodable')
      const reconnects = countNotices(ledger, 'reconnecting')
      context.promise(undecodable === 1, `one message too large, but ${undecodable}`)
      context.promise(reconnects === 0, `0 reconnects, but ${reconnects}`)
      return { delivered: ledger.ids.length, undecodable, reconnects }
    },
  },
]

/** Faults of frames, and large frames. */
import { FRAME_FAULTS, type FrameFault } from '@brokerwire/simulator'
import type { Case } from '../harness.ts'
import { compareIds, countNotices } from './event-log.ts'
import { checkExact, startFixture } from './fixture.ts'

const MIB = 1024 * 1024
const LIMIT_BYTES = 16 * MIB
/** Faults that affect only the message of the frame. */
const UNDECODABLE: ReadonlySet<FrameFault> = new Set<FrameFault>([
  'corrupt-message',
  'invalid-utf8',
  'compressed-flag',
  'oversized-message',
])

export const FRAME_CASES: readonly Case[] = [
  {
    name: 'duplicate frames, and frames that break the connection',
    promise:
      'the module stream discards duplicates, and receives events again that were lost with a connection',
    async run(context) {
      const fixture = await startFixture(context)
      let sent = await fixture.emit(1)
      await fixture.handled(sent)
      const rounds = context.short ? 2 : 10
      const kinds = FRAME_FAULTS.filter(
        (name) => !UNDECODABLE.has(name) && name !== 'split' && name !== 'swap' && name !== 'drop',
      )
      for (let round = 0; round < rounds; round += 1) {
        for (const fault of kinds) {
          await fixture.service.call('frameFault', fault, 1)
          sent = await fixture.emit(5)
          await fixture.handled(sent)
        }
      }
      const eventLog = await fixture.handled(sent)
      const figures = checkExact(context, eventLog, await fixture.moduleIds())
      return { faults: rounds * kinds.length, ...figures, reconnects: countNotices(eventLog, 'reconnecting') }
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
          // The fault changes the first of these events.
          await fixture.emit(3)
          faults += 1
          await fixture.handled(2 * faults)
        }
      }
      const ids = await fixture.moduleIds()
      const decodable = ids.filter((_, index) => index % 3 !== 0)
      const eventLog = await fixture.handled(decodable.length)
      const undecodable = countNotices(eventLog, 'undecodable')
      const reconnects = countNotices(eventLog, 'reconnecting')
      context.check(undecodable === faults, `${faults} undecodable, but ${undecodable}`)
      context.check(reconnects === 0, `0 reconnects, but ${reconnects}`)
      return { ...checkExact(context, eventLog, decodable), undecodable, reconnects }
    },
  },
  {
    name: 'reordered frames',
    promise: 'events are handled in the order received, and none is missing, invented or duplicated',
    async run(context) {
      const fixture = await startFixture(context)
      const rounds = context.short ? 10 : 100
      await fixture.handled(await fixture.emit(2))
      for (let round = 0; round < rounds; round += 1) {
        await fixture.service.call('frameFault', 'swap', 1)
        await fixture.handled(await fixture.emit(2))
      }
      const ids = await fixture.moduleIds()
      const eventLog = await fixture.handled(ids.length)
      const received = ids.map((id, index) =>
        index < 2 ? id : (ids[index % 2 === 0 ? index + 1 : index - 1] ?? ''),
      )
      context.check(
        eventLog.ids.join() === received.join(),
        'each pair must be in the order received, which is reversed',
      )
      const { missing, invented, duplicates } = compareIds(eventLog.ids, ids)
      context.check(missing + invented + duplicates === 0, '0 missing, invented and duplicated')
      return { swapped: rounds, events: ids.length, missing, invented, duplicates }
    },
  },
  {
    name: 'old frames among new ones',
    promise:
      'a trade message that the service sends again later is discarded, and the order stays the order received',
    async run(context) {
      const fixture = await startFixture(context, { trade: true })
      const sent: string[] = []
      const rounds = context.short ? 20 : 200
      for (let round = 0; round < rounds; round += 1) {
        sent.push(...(await fixture.service.call('emitOrders', 5)))
        await fixture.service.call('redeliver', 3)
      }
      sent.push(...(await fixture.service.call('emitOrders', 1)))
      const eventLog = await fixture.handled(sent.length)
      return { redelivered: rounds * 3, ...checkExact(context, eventLog, sent) }
    },
  },
  {
    name: 'a frame split at every byte',
    promise: 'frames that arrive byte by byte are assembled, without a reconnect',
    async run(context) {
      const fixture = await startFixture(context)
      const count = context.short ? 20 : 200
      await fixture.service.call('frameFault', 'split', count)
      const eventLog = await fixture.handled(await fixture.emit(count))
      const reconnects = countNotices(eventLog, 'reconnecting')
      context.check(reconnects === 0, `0 reconnects, but ${reconnects}`)
      return { ...checkExact(context, eventLog, await fixture.moduleIds()), reconnects }
    },
  },
  {
    name: '1,000 accounts',
    promise: 'one subscription receives the events of all accounts',
    async run(context) {
      const accounts = Array.from({ length: 1000 }, (_, n) => `ACCOUNT${String(n).padStart(4, '0')}`)
      const fixture = await startFixture(context, { trade: true, simulator: { accounts } })
      const sent = await fixture.service.call('emitOrders', accounts.length)
      const eventLog = await fixture.handled(sent.length)
      const subscriptions = await fixture.service.call('openStreams')
      context.check(subscriptions === 1, `1 subscription, but ${subscriptions}`)
      return { accounts: accounts.length, subscriptions, ...checkExact(context, eventLog, sent) }
    },
  },
  {
    name: 'a 4 MiB payload, and one above the limit of 16 MiB',
    promise:
      'the first one arrives; for the second one a notice with its length is delivered, without a reconnect and without a gap',
    async run(context) {
      const fixture = await startFixture(context, { trade: true })
      const first = await fixture.service.call('emitLargeOrder', 4 * MIB)
      await fixture.handled(1)
      await fixture.service.call('emitLargeOrder', LIMIT_BYTES + 1)
      const [last = ''] = await fixture.service.call('emitOrders', 1)
      const eventLog = await fixture.handled(2)
      const { missing, invented } = compareIds(eventLog.ids, [first, last])
      context.check(missing + invented === 0, 'the first and the last, and no other')
      const undecodable = countNotices(eventLog, 'undecodable')
      const reconnects = countNotices(eventLog, 'reconnecting')
      context.check(undecodable === 1, `one message too large, but ${undecodable}`)
      context.check(reconnects === 0, `0 reconnects, but ${reconnects}`)
      return { delivered: eventLog.ids.length, undecodable, reconnects }
    },
  },
]

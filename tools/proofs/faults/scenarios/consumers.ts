/** Faults of the consumer and of its machine. */
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createSigner } from '@brokerwire/signer'
import { createStreams } from '@brokerwire/streams'
import { countNotices } from '../ledger.ts'
import type { Scenario } from '../scenario.ts'
import { promiseExact, startWorld } from '../world.ts'

const HOUR_MS = 3_600_000
const STABLE_MS = 200
const MIB = 1024 * 1024

const clockJumps: Scenario = {
  name: 'clock jumps',
  promise: 'an hour ahead and two back lose nothing; a signature of the wrong hour costs one refusal',
  async run(context) {
    // The one further attempt after a refusal is granted anew after each stable period.
    const world = await startWorld(context, { consumer: { supervision: { stableAfterMs: STABLE_MS } } })
    let sent = 0
    const jumps = [HOUR_MS, -2 * HOUR_MS, HOUR_MS / 2]
    for (const [index, jump] of jumps.entries()) {
      sent = await world.server.call('emitManyModules', 5)
      await world.handled(sent)
      await world.consumer.call('jump', jump)
      sent = await world.server.call('emitManyModules', 5)
      await world.handled(sent)
      await sleep(2 * STABLE_MS)
      await world.server.call('drop')
      await world.until('the stream again', (ledger) => countNotices(ledger, 'resumed') > index)
    }
    const ledger = await world.handled(sent)
    const refusals = ledger.notices.filter(
      (notice) => notice.kind === 'reconnecting' && notice.reason === 'auth-error',
    ).length
    context.promise(refusals === jumps.length, `${jumps.length} refusals, but ${refusals}`)
    const { failure } = await world.consumer.call('figures')
    context.promise(failure === null, `the stream lives, but ${failure}`)
    return {
      jumps: jumps.length,
      refusals,
      ...promiseExact(context, ledger, await world.server.call('moduleIds')),
    }
  },
}

const throwing: Scenario = {
  name: 'a consumer that throws',
  promise: 'the event at which it threw comes again, those before it do not, and the slot is free at once',
  async run(context) {
    const throwAt = 7
    const consumer = { throwAt, directory: join(context.folder, 'store') }
    const world = await startWorld(context, { consumer, simulator: { maxConnections: 1 } })
    const sent = await world.server.call('emitManyModules', 20)
    const ledger = await world.handled(sent)
    context.promise(countNotices(ledger, 'thrown') === 1, 'it threw')
    return { threwAt: throwAt, ...promiseExact(context, ledger, await world.server.call('moduleIds')) }
  },
}

const aborted: Scenario = {
  name: 'abort at every await point',
  promise: 'whenever the signal fires, next() rejects with its reason, and no connection stays open',
  async run(context) {
    const world = await startWorld(context)
    await world.killConsumer()
    const { url } = world.proxy
    const open = () => createStreams({ signer: createSigner(world.credentials), moduleEventsUrl: url })
    /** Leaves after so many turns of the microtask queue or of the event loop. */
    const leaveAfter = async (turns: number, turn: () => Promise<unknown>): Promise<boolean> => {
      const controller = new AbortController()
      const reason = new Error('left')
      const stream = open().moduleEvents({ modules: ['application'], signal: controller.signal })
      const reading = (async () => {
        for await (const item of stream) if (item.kind === 'resumed') break
      })().then(
        () => undefined,
        (error: unknown) => error,
      )
      for (let n = 0; n < turns; n += 1) await turn()
      controller.abort(reason)
      return (await reading) === reason
    }
    const counts = context.short ? { micro: 60, loop: 60 } : { micro: 300, loop: 300 }
    let wrong = 0
    for (let n = 0; n < counts.micro; n += 1) {
      if (!(await leaveAfter(n, () => Promise.resolve()))) wrong += 1
    }
    for (let n = 0; n < counts.loop; n += 1) {
      if (!(await leaveAfter(n, () => nextTurn()))) wrong += 1
    }
    context.promise(wrong === 0, `each rejects with the signal's reason, but ${wrong} do not`)
    for (let look = 0; look < 300 && world.proxy.connections > 0; look += 1) await sleep(10)
    const { connections } = world.proxy
    context.promise(connections === 0, `0 connections left, but ${connections}`)
    const subscriptions = await world.server.call('openStreams')
    context.promise(subscriptions === 0, `0 subscriptions left, but ${subscriptions}`)
    return { aborts: counts.micro + counts.loop, wrong, connectionsLeft: connections, subscriptions }
  },
}

const slow: Scenario = {
  name: 'a slow consumer',
  promise: 'at most 256 events wait in the process, its memory grows by less than 64 MiB, nothing is lost',
  async run(context) {
    const slowMs = context.short ? 6000 : 60_000
    const emission = { module: 'application', payload: { reason: 'x'.repeat(8192) } } as const
    const world = await startWorld(context)
    // Warm: what the runtime takes for its first thousand events is not the queue's.
    await world.server.call('emitManyModules', 1000, emission)
    await world.handled(1000)
    const before = (await world.consumer.call('figures')).rssBytes
    await world.consumer.call('slowDown', 20)
    const startedAt = performance.now()
    const perSecond = context.short ? 1000 : 200
    let peak = before
    let sent = 0
    while (performance.now() - startedAt < slowMs) {
      sent = await world.server.call('emitManyModules', perSecond, emission)
      await sleep(1000)
      peak = Math.max(peak, (await world.consumer.call('figures')).rssBytes)
    }
    const backlog = sent - (await world.handled(1)).ids.length
    context.promise(backlog > 1000, `the service is far ahead, but by ${backlog} only`)
    await world.consumer.call('slowDown', 0)
    const ledger = await world.handled(sent)
    const { maxQueue } = await world.consumer.call('figures')
    const grownMib = Math.round((peak - before) / MIB)
    context.promise(grownMib < 64, `less than 64 MiB more, but ${grownMib}`)
    context.promise(maxQueue <= 256, `at most 256 wait, but ${maxQueue}`)
    return {
      seconds: Math.round(slowMs / 1000),
      backlog,
      maxQueue,
      grownMib,
      ...promiseExact(context, ledger, await world.server.call('moduleIds')),
      reconnects: countNotices(ledger, 'reconnecting'),
    }
  },
}

export const CONSUMER_SCENARIOS: readonly Scenario[] = [clockJumps, throwing, aborted, slow]

/** Faults of the consumer and of its machine. */
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createSigner } from '@brokerwire/signer'
import { createStreams } from '@brokerwire/streams'
import type { Case } from '../harness.ts'
import { countNotices } from './event-log.ts'
import { checkExact, startFixture } from './fixture.ts'

const HOUR_MS = 3_600_000
const STABLE_MS = 200
const MIB = 1024 * 1024

export const CONSUMER_CASES: readonly Case[] = [
  {
    name: 'clock jumps',
    promise:
      'an hour forward and two hours back lose no event; a signature with the wrong time is rejected once',
    async run(context) {
      // The stream makes one more attempt after a rejection, and may do so again after each stable period.
      const fixture = await startFixture(context, { consumer: { supervision: { stableAfterMs: STABLE_MS } } })
      const jumps = [HOUR_MS, -2 * HOUR_MS, HOUR_MS / 2]
      for (const [index, jump] of jumps.entries()) {
        await fixture.handled(await fixture.emit(5))
        await fixture.consumer.call('jump', jump)
        await fixture.handled(await fixture.emit(5))
        await sleep(2 * STABLE_MS)
        await fixture.service.call('drop')
        await fixture.resumed(index + 1)
      }
      const ids = await fixture.moduleIds()
      const eventLog = await fixture.handled(ids.length)
      const refusals = eventLog.notices.filter(
        (notice) => notice.kind === 'reconnecting' && notice.reason === 'auth-error',
      ).length
      context.check(refusals === jumps.length, `${jumps.length} refusals, but ${refusals}`)
      const { failure } = await fixture.consumer.call('figures')
      context.check(failure === null, `the stream is open, but ${failure}`)
      return { jumps: jumps.length, refusals, ...checkExact(context, eventLog, ids) }
    },
  },
  {
    name: 'a consumer that throws',
    promise:
      'the event at which it threw is delivered again, earlier ones are not, and the connection slot is free immediately',
    async run(context) {
      const throwAt = 7
      const consumer = { throwAt, directory: join(context.folder, 'store') }
      const fixture = await startFixture(context, { consumer, simulator: { maxConnections: 1 } })
      const eventLog = await fixture.handled(await fixture.emit(20))
      context.check(countNotices(eventLog, 'thrown') === 1, 'it threw')
      return { throwAt, ...checkExact(context, eventLog, await fixture.moduleIds()) }
    },
  },
  {
    name: 'abort at every await point',
    promise: 'whenever the signal fires, next() rejects with its reason, and no connection stays open',
    async run(context) {
      const fixture = await startFixture(context)
      await fixture.consumer.kill()
      /** Aborts after `turns` turns of the microtask queue or of the event loop. */
      const abortAfter = async (turns: number, turn: () => Promise<unknown>): Promise<boolean> => {
        const controller = new AbortController()
        const reason = new Error('left')
        const signer = createSigner(fixture.credentials)
        const streams = createStreams({ signer, moduleEventsUrl: fixture.proxy.url })
        const stream = streams.moduleEvents({ modules: ['application'], signal: controller.signal })
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
      const count = context.short ? 60 : 300
      let wrong = 0
      for (const turn of [() => Promise.resolve(), () => nextTurn()])
        for (let n = 0; n < count; n += 1) if (!(await abortAfter(n, turn))) wrong += 1
      context.check(wrong === 0, `each rejects with the signal's reason, but ${wrong} do not`)
      for (let look = 0; look < 300 && fixture.proxy.connections > 0; look += 1) await sleep(10)
      const { connections } = fixture.proxy
      context.check(connections === 0, `0 connections left, but ${connections}`)
      const subscriptions = await fixture.service.call('openStreams')
      context.check(subscriptions === 0, `0 subscriptions left, but ${subscriptions}`)
      return { aborts: 2 * count, wrong, connectionsLeft: connections, subscriptions }
    },
  },
  {
    name: 'a slow consumer',
    promise:
      'at most 256 events are buffered in the process, its memory grows by less than 64 MiB, and no event is lost',
    async run(context) {
      const slowMs = context.short ? 6000 : 60_000
      const emission = { module: 'application', payload: { reason: 'x'.repeat(8192) } } as const
      const fixture = await startFixture(context)
      // Warm-up, because the runtime allocates memory for its first thousand events that does not belong to
      // the buffer.
      await fixture.service.call('emitManyModules', 1000, emission)
      await fixture.handled(1000)
      const before = (await fixture.consumer.call('figures')).rssBytes
      await fixture.consumer.call('slowDown', 20)
      const startedAt = performance.now()
      const perSecond = context.short ? 1000 : 200
      let peak = before
      let sent = 0
      while (performance.now() - startedAt < slowMs) {
        sent = await fixture.service.call('emitManyModules', perSecond, emission)
        await sleep(1000)
        peak = Math.max(peak, (await fixture.consumer.call('figures')).rssBytes)
      }
      const backlog = sent - (await fixture.handled(1)).ids.length
      context.check(backlog > 1000, `the service is more than 1000 events ahead, but ${backlog}`)
      await fixture.consumer.call('slowDown', 0)
      const eventLog = await fixture.handled(sent)
      const { maxQueue } = await fixture.consumer.call('figures')
      const grownMib = Math.round((peak - before) / MIB)
      context.check(grownMib < 64, `less than 64 MiB more, but ${grownMib}`)
      context.check(maxQueue <= 256, `at most 256 events are buffered, but ${maxQueue}`)
      return {
        seconds: Math.round(slowMs / 1000),
        backlog,
        maxQueue,
        grownMib,
        ...checkExact(context, eventLog, await fixture.moduleIds()),
        reconnects: countNotices(eventLog, 'reconnecting'),
      }
    },
  },
  {
    name: 'a consumer killed with SIGKILL before its first commit',
    promise: 'after each restart, a gap with bounds reports what was missed',
    async run(context) {
      const fixture = await startFixture(context, { consumer: { directory: join(context.folder, 'store') } })
      const rounds = context.short ? 2 : 5
      let unreported = 0
      for (let round = 1; round <= rounds; round += 1) {
        const firstMs = Date.now()
        // The consumer handles the first event and never requests the next one.
        await fixture.consumer.call('slowDown', HOUR_MS)
        await fixture.emit(3)
        await fixture.handled(round)
        await fixture.consumer.kill()
        await fixture.emit(2)
        const lastMs = Date.now()
        await fixture.restartConsumer()
        const eventLog = await fixture.until('the gap', (found) => countNotices(found, 'gap') > round)
        const isReported = eventLog.notices.some(
          (notice) =>
            notice.kind === 'gap' && (notice.fromMs ?? Infinity) <= firstMs && (notice.toMs ?? 0) >= lastMs,
        )
        if (!isReported) unreported += 1
      }
      context.check(unreported === 0, `each gap covers what was missed, but ${unreported} do not`)
      const before = (await fixture.moduleIds()).length
      const sent = await fixture.emit(5)
      const eventLog = await fixture.handled(rounds + sent - before)
      const after = (await fixture.moduleIds()).slice(before)
      context.check(
        after.every((id) => eventLog.ids.includes(id)),
        'the stream continues',
      )
      return { kills: rounds, missed: 4 * rounds, unreported }
    },
  },
]

/** Faults of connections and of the service's process. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmittedModuleEvent } from '@brokerwire/simulator'
import type { Case, CaseContext } from '../frame.ts'
import { type Fixture, promiseExact, startFixture } from './fixture.ts'
import { countNotices } from './ledger.ts'

const RST_CODES = 14

/** Emits events between the strikes; the next strike follows when those have arrived. */
async function strikes(context: CaseContext, fixture: Fixture, all: readonly (() => Promise<unknown>)[]) {
  let sent = await fixture.emit(5)
  for (const [index, strike] of all.entries()) {
    await fixture.handled(sent)
    await strike()
    sent = await fixture.emit(5)
    await fixture.resumed(index + 1)
  }
  const ledger = await fixture.handled(sent)
  return {
    ...promiseExact(context, ledger, await fixture.moduleIds()),
    reconnects: countNotices(ledger, 'reconnecting'),
  }
}

const halfOpen = (direction: 'to-client' | 'to-server'): Case => ({
  name: `half-open, nothing goes ${direction}`,
  promise: 'HTTP/2 PING (300 ms, answer within 300 ms) finds it within 2 s, and nothing is lost',
  async run(context) {
    const connection = { keepAlive: { intervalMs: 300, timeoutMs: 300 } }
    const fixture = await startFixture(context, { consumer: { connection } })
    await fixture.handled(await fixture.emit(5))
    const startedAt = performance.now()
    fixture.proxy.stall(direction)
    await fixture.until('a reconnect', (ledger) => countNotices(ledger, 'reconnecting') > 0)
    const foundMs = Math.round(performance.now() - startedAt)
    context.promise(foundMs < 2000, `found within 2000 ms, but ${foundMs}`)
    const sent = await fixture.emit(5)
    fixture.proxy.resume()
    const ledger = await fixture.handled(sent)
    return { foundMs, ...promiseExact(context, ledger, await fixture.moduleIds()) }
  },
})

export const CONNECTION_CASES: readonly Case[] = [
  {
    name: 'server killed with SIGKILL',
    promise: 'the module stream continues after its last position, with nothing missing and nothing twice',
    async run(context) {
      const fixture = await startFixture(context)
      // Without a first event there is no position to continue from, and a gap is reported instead.
      const history: EmittedModuleEvent[] = await fixture.service.call('emitModules', 1)
      await fixture.handled(1)
      const rounds = context.short ? 2 : 10
      for (let round = 1; round <= rounds; round += 1) {
        history.push(...(await fixture.service.call('emitModules', 200)))
        // Before the events have arrived, so that the kill interrupts the stream.
        await fixture.restartService(history)
        await fixture.resumed(round)
      }
      history.push(...(await fixture.service.call('emitModules', 200)))
      const ledger = await fixture.handled(history.length)
      const ids = history.map(({ id }) => id)
      return { kills: rounds, ...promiseExact(context, ledger, ids) }
    },
  },
  {
    name: 'GOAWAY',
    promise: 'a session that is being closed loses nothing, whether its stream ends or not',
    async run(context) {
      const fixture = await startFixture(context)
      const strike = async (): Promise<void> => {
        await fixture.service.call('goaway')
        await fixture.service.call('end')
      }
      return strikes(context, fixture, Array(context.short ? 3 : 20).fill(strike))
    },
  },
  {
    name: 'RST_STREAM, each code',
    promise: 'after each of the 14 codes the stream continues where it was',
    async run(context) {
      const fixture = await startFixture(context)
      const codes = Array.from({ length: RST_CODES }, (_, code) => () => fixture.service.call('reset', code))
      return { codes: codes.length, ...(await strikes(context, fixture, codes)) }
    },
  },
  halfOpen('to-client'),
  halfOpen('to-server'),
  {
    name: 'a proxy that closes idle connections',
    promise:
      'nothing is lost when it closes one; more frequent HTTP/2 PINGs, also on a quiet stream, prevent it',
    async run(context) {
      const rounds = context.short ? 2 : 6
      const simulator = { pingIntervalMs: 0 }
      const fixture = await startFixture(context, { simulator, proxy: { idleMs: 400 } })
      let sent = 0
      for (let round = 1; round <= rounds; round += 1) {
        sent = await fixture.emit(3)
        await fixture.resumed(round)
      }
      const figures = promiseExact(context, await fixture.handled(sent), await fixture.moduleIds())
      await fixture.consumer.kill()
      // The intervals differ so much that a machine which pauses for a second does not decide.
      const withPing = await startFixture(context, {
        simulator,
        proxy: { idleMs: 1500 },
        ledger: 'with-ping.txt',
        consumer: { connection: { keepAlive: { intervalMs: 100, idleIntervalMs: 100 } } },
      })
      await sleep(4000)
      const reconnects = countNotices(await withPing.handled(await withPing.emit(1)), 'reconnecting')
      context.promise(reconnects === 0, `0 reconnects with PING, but ${reconnects}`)
      return { breaks: rounds, ...figures, reconnectsWithPing: reconnects }
    },
  },
]

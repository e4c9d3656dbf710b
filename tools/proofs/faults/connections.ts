/** Faults of connections and of the service's process. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmittedModuleEvent } from '@brokerwire/simulator'
import type { Case, CaseContext } from '../harness.ts'
import { countNotices } from './event-log.ts'
import { checkExact, type Fixture, startFixture } from './fixture.ts'

const RST_CODES = 14

/** Sends events before each fault, and waits until they have arrived. */
async function injectFaults(
  context: CaseContext,
  fixture: Fixture,
  faults: readonly (() => Promise<unknown>)[],
) {
  let sent = await fixture.emit(5)
  for (const [index, fault] of faults.entries()) {
    await fixture.handled(sent)
    await fault()
    sent = await fixture.emit(5)
    await fixture.resumed(index + 1)
  }
  const eventLog = await fixture.handled(sent)
  return {
    ...checkExact(context, eventLog, await fixture.moduleIds()),
    reconnects: countNotices(eventLog, 'reconnecting'),
  }
}

const halfOpen = (direction: 'to-client' | 'to-server'): Case => ({
  name: `half-open connection, no bytes go ${direction}`,
  promise: 'a PING every 300 ms with a timeout of 300 ms finds it within 2 s, and no event is lost',
  async run(context) {
    const connection = { keepAlive: { intervalMs: 300, timeoutMs: 300 } }
    const fixture = await startFixture(context, { consumer: { connection } })
    await fixture.handled(await fixture.emit(5))
    const startedAt = performance.now()
    fixture.proxy.stall(direction)
    await fixture.until('a reconnect', (eventLog) => countNotices(eventLog, 'reconnecting') > 0)
    const foundMs = Math.round(performance.now() - startedAt)
    context.check(foundMs < 2000, `found within 2000 ms, but ${foundMs}`)
    const sent = await fixture.emit(5)
    fixture.proxy.resume()
    const eventLog = await fixture.handled(sent)
    return { foundMs, ...checkExact(context, eventLog, await fixture.moduleIds()) }
  },
})

export const CONNECTION_CASES: readonly Case[] = [
  {
    name: 'server killed with SIGKILL',
    promise: 'the module stream continues after its last position, and no event is missing or duplicated',
    async run(context) {
      const fixture = await startFixture(context)
      // Without a first event the cursor has no position to continue from, and a gap would be reported.
      const history: EmittedModuleEvent[] = await fixture.service.call('emitModules', 1)
      await fixture.handled(1)
      const rounds = context.short ? 2 : 10
      for (let round = 1; round <= rounds; round += 1) {
        history.push(...(await fixture.service.call('emitModules', 200)))
        // Kills the service before the events have arrived, so that the kill interrupts the stream.
        await fixture.restartService(history)
        await fixture.resumed(round)
      }
      history.push(...(await fixture.service.call('emitModules', 200)))
      const eventLog = await fixture.handled(history.length)
      const ids = history.map(({ id }) => id)
      return { kills: rounds, ...checkExact(context, eventLog, ids) }
    },
  },
  {
    name: 'GOAWAY',
    promise: 'no event is lost after GOAWAY, whether the stream ends or not',
    async run(context) {
      const fixture = await startFixture(context)
      const sendGoaway = async (): Promise<void> => {
        await fixture.service.call('goaway')
        await fixture.service.call('end')
      }
      return injectFaults(context, fixture, Array(context.short ? 3 : 20).fill(sendGoaway))
    },
  },
  {
    name: 'RST_STREAM, each code',
    promise: 'after each of the 14 codes the stream continues at its position',
    async run(context) {
      const fixture = await startFixture(context)
      const codes = Array.from({ length: RST_CODES }, (_, code) => () => fixture.service.call('reset', code))
      return { codes: codes.length, ...(await injectFaults(context, fixture, codes)) }
    },
  },
  halfOpen('to-client'),
  halfOpen('to-server'),
  {
    name: 'a proxy that closes idle connections',
    promise:
      'no event is lost when it closes one; more frequent PINGs, also on a stream without events, prevent that',
    async run(context) {
      const rounds = context.short ? 2 : 6
      const simulator = { pingIntervalMs: 0 }
      const fixture = await startFixture(context, { simulator, proxy: { idleMs: 400 } })
      let sent = 0
      for (let round = 1; round <= rounds; round += 1) {
        sent = await fixture.emit(3)
        await fixture.resumed(round)
      }
      const figures = checkExact(context, await fixture.handled(sent), await fixture.moduleIds())
      await fixture.consumer.kill()
      // The intervals differ by so much that a pause of the machine for a second does not change the result.
      const withPing = await startFixture(context, {
        simulator,
        proxy: { idleMs: 1500 },
        eventLog: 'with-ping.txt',
        consumer: { connection: { keepAlive: { intervalMs: 100, idleIntervalMs: 100 } } },
      })
      await sleep(4000)
      const reconnects = countNotices(await withPing.handled(await withPing.emit(1)), 'reconnecting')
      context.check(reconnects === 0, `0 reconnects with PING, but ${reconnects}`)
      return { breaks: rounds, ...figures, reconnectsWithPing: reconnects }
    },
  },
]

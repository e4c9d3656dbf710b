/** Faults of connections and of the service's process. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmittedModuleEvent } from '@brokerwire/simulator'
import { countNotices } from '../ledger.ts'
import type { RunContext, Scenario } from '../scenario.ts'
import { promiseExact, startWorld, type World } from '../world.ts'

const RST_CODES = 14

/** Events, a strike, events, and the next strike only after those arrived. */
async function strikes(context: RunContext, world: World, strike: readonly (() => Promise<unknown>)[]) {
  let sent = (await world.server.call('emitModules', 5)).length
  for (const [index, one] of strike.entries()) {
    await world.handled(sent)
    await one()
    sent = await world.server.call('emitManyModules', 5)
    await world.until(
      `strike ${index + 1}`,
      (ledger) => ledger.ids.length >= sent && countNotices(ledger, 'resumed') > index,
    )
  }
  const ledger = await world.handled(sent)
  return {
    ...promiseExact(context, ledger, await world.server.call('moduleIds')),
    reconnects: countNotices(ledger, 'reconnecting'),
  }
}

const killed: Scenario = {
  name: 'server killed with SIGKILL',
  promise: 'the module stream goes on after its last position, with nothing missing and nothing twice',
  async run(context) {
    const world = await startWorld(context)
    // Without a first event there is no position to go on from, and the gap is told instead.
    const history: EmittedModuleEvent[] = await world.server.call('emitModules', 1)
    await world.handled(1)
    const rounds = context.short ? 2 : 10
    for (let round = 0; round < rounds; round += 1) {
      history.push(...(await world.server.call('emitModules', 200)))
      // Before the events arrived: the kill finds the stream at work.
      await world.restartServer(history)
      await world.until('the stream again', (ledger) => countNotices(ledger, 'resumed') > round)
    }
    history.push(...(await world.server.call('emitModules', 200)))
    const ledger = await world.handled(history.length)
    const ids = history.map((event) => event.id)
    return { kills: rounds, ...promiseExact(context, ledger, ids) }
  },
}

const goaway: Scenario = {
  name: 'GOAWAY',
  promise: 'a session that is being closed loses nothing, whether its stream ends or not',
  async run(context) {
    const world = await startWorld(context)
    const strike = async () => {
      await world.server.call('goaway')
      await world.server.call('end')
    }
    return strikes(context, world, Array(context.short ? 3 : 20).fill(strike))
  },
}

const rstStream: Scenario = {
  name: 'RST_STREAM, each code',
  promise: 'after each of the 14 codes the stream goes on where it was',
  async run(context) {
    const world = await startWorld(context)
    const codes = Array.from({ length: RST_CODES }, (_, code) => () => world.server.call('reset', code))
    return { codes: codes.length, ...(await strikes(context, world, codes)) }
  },
}

const halfOpen = (direction: 'to-client' | 'to-server'): Scenario => ({
  name: `half-open, nothing goes ${direction}`,
  promise: 'HTTP/2 PING (300 ms, answer within 300 ms) finds it within 2 s, and nothing is lost',
  async run(context) {
    const connection = { pingIntervalMs: 300, pingTimeoutMs: 300 }
    const world = await startWorld(context, { consumer: { connection } })
    const before = await world.server.call('emitManyModules', 5)
    await world.handled(before)
    const startedAt = performance.now()
    world.proxy.stall(direction)
    await world.until('a reconnect', (ledger) => countNotices(ledger, 'reconnecting') > 0)
    const foundMs = Math.round(performance.now() - startedAt)
    context.promise(foundMs < 2000, `found within 2000 ms, but ${foundMs}`)
    const sent = await world.server.call('emitManyModules', 5)
    world.proxy.resume()
    const ledger = await world.handled(sent)
    return { foundMs, ...promiseExact(context, ledger, await world.server.call('moduleIds')) }
  },
})

const idleProxy: Scenario = {
  name: 'a proxy that closes after idle',
  promise:
    'nothing is lost when it breaks the connection; HTTP/2 PINGs more often than that, also on a quiet stream, keep it',
  async run(context) {
    const rounds = context.short ? 2 : 6
    const simulator = { pingIntervalMs: 0 }
    const broken = await startWorld(context, { simulator, proxy: { idleMs: 400 } })
    let sent = 0
    for (let round = 0; round < rounds; round += 1) {
      sent = await broken.server.call('emitManyModules', 3)
      await broken.until('a break', (ledger) => countNotices(ledger, 'resumed') > round)
    }
    const figures = promiseExact(context, await broken.handled(sent), await broken.server.call('moduleIds'))
    await broken.killConsumer()
    // Far enough apart that a machine which stops for a second does not decide.
    const kept = await startWorld(context, {
      simulator,
      proxy: { idleMs: 1500 },
      ledger: 'kept.txt',
      consumer: { connection: { pingIntervalMs: 100, quietPingIntervalMs: 100 } },
    })
    await sleep(4000)
    const last = await kept.server.call('emitManyModules', 1)
    const reconnects = countNotices(await kept.handled(last), 'reconnecting')
    context.promise(reconnects === 0, `0 reconnects with PING, but ${reconnects}`)
    return { breaks: rounds, ...figures, reconnectsWithPing: reconnects }
  },
}

export const CONNECTION_SCENARIOS: readonly Scenario[] = [
  killed,
  goaway,
  rstStream,
  halfOpen('to-client'),
  halfOpen('to-server'),
  idleProxy,
]

/** A simulated service in its own process, so that it can be killed. */
import {
  type EmittedModuleEvent,
  type FrameFault,
  type ModuleEmission,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@brokerwire/simulator'
import { serveCalls } from '@brokerwire/testing/child-calls'

let simulator: Simulator | undefined
const running = (): Simulator => {
  if (simulator === undefined) throw new Error('the service must be started first')
  return simulator
}

const commands = {
  async start(options: SimulatorOptions) {
    simulator = await startSimulator(options)
    const { httpUrl, eventsUrl, accounts, controlUrl = '', credentials } = simulator
    const { appKey, appSecret } = credentials
    const controlToken = simulator.controlToken?.reveal() ?? ''
    return { httpUrl, eventsUrl, accounts, controlUrl, controlToken, appKey, appSecret: appSecret.reveal() }
  },
  /** @returns The events, for the history of another service. */
  emitModules: (count: number, emission: ModuleEmission = { module: 'application' }): EmittedModuleEvent[] =>
    Array.from({ length: count }, () => running().emitModule(emission)),
  /** @returns The number of events in the log. */
  emitManyModules(count: number, emission: ModuleEmission = { module: 'application' }): number {
    for (let n = 0; n < count; n += 1) running().emitModule(emission)
    return running().moduleEvents().length
  },
  moduleIds: (): string[] =>
    running()
      .moduleEvents()
      .map(({ id }) => id),
  /** Emits orders, one for each account in turn. @returns The request ids. */
  emitOrders(count: number): string[] {
    const { accounts } = running()
    return Array.from(
      { length: count },
      (_, n) => running().emitOrder({ accountId: accounts[n % accounts.length] }).requestId,
    )
  },
  emitLargeOrder: (length: number): string =>
    running().emitTradeFrame({ payload: JSON.stringify({ text: 'x'.repeat(length - 11) }) }).requestId,
  redeliver: (count: number): number => running().redeliverTradeEvents(count).length,
  drop: (): number => running().dropConnections(),
  goaway: (): number => running().goaway(),
  end: (): number => running().endStreams(),
  reset: (http2Code: number): number => running().resetStreams({ http2Code }),
  frameFault: (fault: FrameFault, count: number) => running().faults.nextFrame(fault, { count }),
  openStreams: (): number => running().subscriptions().length,
}

export type ServiceCommands = typeof commands

serveCalls(commands)

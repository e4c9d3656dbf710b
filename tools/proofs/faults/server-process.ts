/** The service, in a process of its own, so that it can be killed. */
import {
  type EmittedModuleEvent,
  type FrameFault,
  type ModuleEmission,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '@brokerwire/simulator'
import { serveCalls } from './child.ts'

let simulator: Simulator | undefined
const running = (): Simulator => {
  if (simulator === undefined) throw new Error('start it first')
  return simulator
}

const commands = {
  async start(options: SimulatorOptions) {
    simulator = await startSimulator(options)
    const { eventsUrl, moduleEventsUrl, accounts } = simulator
    return { eventsUrl, moduleEventsUrl, accounts }
  },
  /** @returns The events, for a history. */
  emitModules: (count: number, emission: ModuleEmission = { module: 'application' }): EmittedModuleEvent[] =>
    Array.from({ length: count }, () => running().emitModule(emission)),
  /** Without their texts, which would only travel. @returns How many the log holds. */
  emitManyModules(count: number, emission: ModuleEmission = { module: 'application' }): number {
    for (let n = 0; n < count; n += 1) running().emitModule(emission)
    return running().moduleEvents().length
  },
  moduleIds: (): string[] =>
    running()
      .moduleEvents()
      .map((event) => event.id),
  /** One order for each of the next accounts, in turn. @returns The request ids. */
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

/** What the service's process offers. */
export type ServerCommands = typeof commands

serveCalls(commands)

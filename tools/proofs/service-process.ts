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

/** An event that the service has sent. */
export interface SentEvent {
  readonly stream: 'order' | 'position' | 'module'
  readonly id: string
  /** Milliseconds since the Unix epoch, by the service's clock. */
  readonly atMs: number
}

let simulator: Simulator | undefined
const running = (): Simulator => {
  if (simulator === undefined) throw new Error('the service must be started first')
  return simulator
}

const commands = {
  async start(options: SimulatorOptions) {
    simulator = await startSimulator(options)
    const { baseUrl, eventsUrl, accounts, controlUrl = '', credentials } = simulator
    const { appKey, appSecret } = credentials
    const controlToken = simulator.controlToken?.reveal() ?? ''
    return { baseUrl, eventsUrl, accounts, controlUrl, controlToken, appKey, appSecret: appSecret.reveal() }
  },
  /** @returns The events, which can be the history of another service. */
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
  /**
   * Emits orders, one for each account in turn.
   *
   * @returns The request ids.
   */
  emitOrders(count: number): string[] {
    const { accounts } = running()
    return Array.from(
      { length: count },
      (_, n) => running().emitOrder({ accountId: accounts[n % accounts.length] }).requestId,
    )
  },
  /** Emits order or position events, one for each account in turn, or module events. */
  emit(kind: 'order' | 'position' | 'module', count: number): SentEvent[] {
    const { accounts } = running()
    return Array.from({ length: count }, (_, n) => {
      if (kind === 'module') {
        const { id, timestamp } = running().emitModule({ module: 'application' })
        return { stream: kind, id, atMs: Date.parse(timestamp) }
      }
      const input = { accountId: accounts[n % accounts.length] }
      const event = kind === 'order' ? running().emitOrder(input) : running().emitPosition(input)
      return { stream: kind, id: event.requestId, atMs: event.timestampMs }
    })
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

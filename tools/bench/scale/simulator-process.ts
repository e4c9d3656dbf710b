/** The simulator as a service with many symbols and many apps. */
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { serveCalls } from '@brokerwire/testing/child-calls'

let simulator: Simulator | undefined
const running = (): Simulator => {
  if (simulator === undefined) throw new Error('the simulator must be started first')
  return simulator
}

const commands = {
  async startQuotes(maxConnections: number) {
    simulator = await startSimulator({ secondFactor: 'automatic', quotes: { maxConnections } })
    const { baseUrl, credentials, quotes } = simulator
    return {
      ...{ baseUrl, mqttUrl: quotes?.mqttUrl ?? '' },
      ...{ appKey: credentials.appKey, appSecret: credentials.appSecret.reveal() },
    }
  },
  /**
   * Changes each price `count` times.
   *
   * @returns The number of messages.
   */
  step: (count: number): number => running().quotes?.step(count) ?? 0,
  async startApps(count: number) {
    const apps = Array.from({ length: count }, (_, at) => ({ name: `app-${at}` }))
    simulator = await startSimulator({ apps, combinedSubscribeTypes: true })
    return {
      url: simulator.eventsUrl,
      apps: simulator.apps.map(({ name, accounts, credentials }) => ({
        ...{ name, accounts, appKey: credentials.appKey, appSecret: credentials.appSecret.reveal() },
      })),
    }
  },
  /** The number of subscriptions of all apps. */
  subscriptions: (): number => running().apps.reduce((sum, app) => sum + app.subscriptions().length, 0),
  /** Sends `count` order events. Each event goes to the next app in turn. */
  sendOrders(count: number): void {
    const { apps } = running()
    for (let n = 0; n < count; n += 1) {
      const app = apps[n % apps.length]
      app?.emitOrder({ accountId: app.accounts[0] })
    }
  },
}
export type SimulatorCommands = typeof commands
export type SimulatedApps = Awaited<ReturnType<SimulatorCommands['startApps']>>
export type SimulatedQuotes = Awaited<ReturnType<SimulatorCommands['startQuotes']>>
serveCalls(commands)

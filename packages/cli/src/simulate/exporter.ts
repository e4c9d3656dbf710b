/** The metrics of a simulator in the text format of Prometheus, from its counters. */
import type { Simulator } from '@brokerwire/simulator'
import { createMetricSet } from '../metrics/definition.ts'
import { SIMULATOR_METRICS } from '../metrics/simulator-metrics.ts'

/** The counters of `Simulator.state()` that are exported. */
interface Counts {
  readonly requests: number
  readonly connections: number
  readonly apps: readonly {
    readonly name: string
    readonly accessTokens: Readonly<Record<string, number>>
    readonly clientTokenPairs: number
    readonly usedConnections: number
    readonly tradeEvents: number
    readonly moduleEvents: number
  }[]
}

/** Returns a function that reads the metrics of a simulator. */
export function createSimulatorExporter(
  simulator: () => Pick<Simulator, 'state'> | undefined,
): () => Promise<string> {
  const { registry, metrics } = createMetricSet(SIMULATOR_METRICS)
  return async () => {
    registry.resetMetrics()
    const counts = simulator()?.state() as Counts | undefined
    metrics.requests.inc(counts?.requests ?? 0)
    metrics.connections.set(counts?.connections ?? 0)
    for (const { name: app, ...ofApp } of counts?.apps ?? []) {
      metrics.tradeEvents.inc({ app }, ofApp.tradeEvents)
      metrics.moduleEvents.inc({ app }, ofApp.moduleEvents)
      metrics.usedConnections.set({ app }, ofApp.usedConnections)
      metrics.clientTokenPairs.set({ app }, ofApp.clientTokenPairs)
      for (const [status, count] of Object.entries(ofApp.accessTokens))
        metrics.accessTokens.set({ app, status }, count)
    }
    return registry.metrics()
  }
}

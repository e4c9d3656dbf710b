/** Runs `brokerwire simulate`. */
import { startSimulator } from '@brokerwire/simulator'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { serviceLines } from '../render/service-lines.ts'
import { untilStopped } from '../until-stopped.ts'

interface SimulateFlags {
  readonly environment: 'sandbox' | 'production'
  readonly region: 'hk' | 'us'
  readonly secondFactor: 'manual' | 'automatic'
  readonly compatibility: 'specification' | 'official-clients'
  readonly scenario: 'none' | 'lifecycles' | 'lifecycles-forever'
  readonly interval: number
  readonly seed: number
  readonly httpPort: number
  readonly eventsPort: number
  readonly moduleEventsPort: number
}

export const run: Run<SimulateFlags> = async ({ flags, io }) => {
  await using simulator = await startSimulator({
    environment: flags.environment,
    region: flags.region,
    secondFactor: flags.secondFactor,
    compatibility: flags.compatibility,
    scenario: flags.scenario === 'none' ? undefined : flags.scenario,
    scenarioIntervalMs: flags.interval,
    seed: flags.seed,
    httpPort: flags.httpPort,
    eventsPort: flags.eventsPort,
    moduleEventsPort: flags.moduleEventsPort,
    control: true,
  })
  io.out('# A local service for tests, on 127.0.0.1. Stop it with Ctrl-C.')
  for (const line of serviceLines(simulator)) io.out(line)
  await untilStopped(io)
  return EXIT.done
}

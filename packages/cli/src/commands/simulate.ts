/** `brokerwire simulate`: the service on one's desk, until it is stopped. */
import { startSimulator } from '@brokerwire/simulator'
import { Option } from 'commander'
import type { AddCommand } from '../add-command.ts'
import { wholeNumber } from '../number-option.ts'
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

const port = wholeNumber(0, 65_535)

export const addSimulate: AddCommand = (program, io, done) => {
  program
    .command('simulate')
    .description('run a local service that checks signatures and keeps state, until stopped')
    .addOption(new Option('--environment <name>').choices(['sandbox', 'production']).default('production'))
    .addOption(new Option('--region <region>').choices(['hk', 'us']).default('us'))
    .addOption(
      new Option(
        '--second-factor <who>',
        'who completes it: POST /_simulator/second-factor, or the service itself',
      )
        .choices(['manual', 'automatic'])
        .default('automatic'),
    )
    .addOption(
      new Option(
        '--compatibility <with>',
        'what is taken beyond the specification, and how answers are written',
      )
        .choices(['specification', 'official-clients'])
        .default('specification'),
    )
    .addOption(
      new Option('--scenario <name>', 'what happens on the streams')
        .choices(['none', 'lifecycles', 'lifecycles-forever'])
        .default('lifecycles-forever'),
    )
    .option('--interval <ms>', 'milliseconds between two events', wholeNumber(1, 86_400_000), 1000)
    .option('--seed <number>', 'the same seed gives the same events', wholeNumber(0, 4_294_967_295), 1)
    .option('--http-port <port>', '0: any free one', port, 0)
    .option('--events-port <port>', '0: any free one', port, 0)
    .option('--module-events-port <port>', '0: any free one', port, 0)
    .action(async (flags: SimulateFlags) => {
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
      done(0)
    })
}

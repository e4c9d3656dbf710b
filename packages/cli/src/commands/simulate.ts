/** `brokerwire simulate`: the service on one's desk, until it is stopped. */
import type { CommandDefinition } from '../frame/definition.ts'
import { wholeNumber } from '../number-option.ts'

const port = wholeNumber(0, 65_535)

export const simulate: CommandDefinition = {
  name: 'simulate',
  summary: 'run a local service that checks signatures and keeps state, until stopped',
  options: [
    {
      flags: '--environment <name>',
      help: 'what the service is',
      choices: ['sandbox', 'production'],
      defaultValue: 'production',
    },
    { flags: '--region <region>', help: 'what the service is', choices: ['hk', 'us'], defaultValue: 'us' },
    {
      flags: '--second-factor <who>',
      help: 'who completes it: POST /_simulator/second-factor, or the service itself',
      choices: ['manual', 'automatic'],
      defaultValue: 'automatic',
    },
    {
      flags: '--compatibility <with>',
      help: 'what is taken beyond the specification, and how answers are written',
      choices: ['specification', 'official-clients'],
      defaultValue: 'specification',
    },
    {
      flags: '--scenario <name>',
      help: 'what happens on the streams',
      choices: ['none', 'lifecycles', 'lifecycles-forever'],
      defaultValue: 'lifecycles-forever',
    },
    {
      flags: '--interval <ms>',
      help: 'milliseconds between two events',
      parse: wholeNumber(1, 86_400_000),
      defaultValue: 1000,
    },
    {
      flags: '--seed <number>',
      help: 'the same seed gives the same events',
      parse: wholeNumber(0, 4_294_967_295),
      defaultValue: 1,
    },
    { flags: '--http-port <port>', help: '0: any free one', parse: port, defaultValue: 0 },
    { flags: '--events-port <port>', help: '0: any free one', parse: port, defaultValue: 0 },
    { flags: '--module-events-port <port>', help: '0: any free one', parse: port, defaultValue: 0 },
  ],
  examples: [{ does: 'a service to try everything on', line: 'brokerwire simulate' }],
  load: () => import('../run/simulate.ts'),
}

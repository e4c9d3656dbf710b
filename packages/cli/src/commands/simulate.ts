/** `brokerwire simulate`: the service on one's desk, until it is stopped. */
import type { CommandDefinition } from '../frame/definition.ts'
import { SIMULATE_FLAGS } from '../simulate/options.ts'

export const simulate: CommandDefinition = {
  name: 'simulate',
  summary: 'run a local service that checks signatures and keeps state, until stopped',
  details: [
    'Prints export lines to paste into another terminal. The service listens on 127.0.0.1 alone. The file of --config has the options of the library by name; its schema is schemas/simulate.schema.json in this package, and what is wrong in it is named by line and column.',
  ],
  options: SIMULATE_FLAGS,
  examples: [
    { does: 'a service to try everything on', line: 'brokerwire simulate' },
    { does: 'a second factor that waits for you', line: 'brokerwire simulate --second-factor manual' },
    {
      does: 'tokens that end soon, over TLS, events ten times a second',
      line: 'brokerwire simulate --tls --token-validity 2m --interval 100',
    },
    {
      does: 'addresses and credentials for a program',
      line: 'brokerwire simulate --json | head -n 1 > service.json',
    },
  ],
  load: () => import('../run/simulate.ts'),
}

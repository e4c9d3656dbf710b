/** `brokerwire demo`: from credentials to decoded events, on a local service. */
import type { CommandDefinition } from '../frame/definition.ts'

export const demo: CommandDefinition = {
  name: 'demo',
  summary: 'show tokens, streams and reconnects on a local service',
  options: [
    {
      flags: '--quotes',
      help: 'show market data instead: a table of prices, a lost connection, a reported gap',
    },
    {
      flags: '--keep',
      help: 'run until stopped; print addresses and credentials of the local service and of its console page',
    },
  ],
  examples: [
    { does: 'streams from end to end, without keys', line: 'brokerwire demo' },
    { does: 'market data from end to end', line: 'brokerwire demo --quotes' },
  ],
  load: () => import('../run/demo.ts'),
}

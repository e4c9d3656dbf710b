/** `brokerwire demo`: from credentials to decoded events, on a local service. */
import type { CommandDefinition } from '../frame/definition.ts'

export const demo: CommandDefinition = {
  name: 'demo',
  summary: 'get a token, open all streams, lose the connections, come back; on a local service',
  options: [
    {
      flags: '--quotes',
      help: 'market data instead: prices as a table, a lost connection, a gap that is told',
    },
    {
      flags: '--keep',
      help: 'go on until stopped; prints the addresses and credentials of the local service, and of a page that shows it',
    },
  ],
  examples: [
    { does: 'the main job from end to end, without keys', line: 'brokerwire demo' },
    { does: 'market data from end to end', line: 'brokerwire demo --quotes' },
  ],
  load: () => import('../run/demo.ts'),
}

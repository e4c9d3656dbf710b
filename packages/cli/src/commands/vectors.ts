/** `brokerwire vectors FILE...`: checks vector files against the signer. */
import type { CommandDefinition } from '../frame/definition.ts'

export const vectors: CommandDefinition = {
  name: 'vectors',
  summary: 'check files of signature vectors; status 1 when any fails',
  args: [
    {
      name: '<file...>',
      help: 'JSON whose arrays hold records: HTTP ones have "path", stream ones "requestHex"',
    },
  ],
  examples: [
    {
      does: 'hold the vectors of another implementation against the signer',
      line: 'brokerwire vectors vectors.json',
    },
  ],
  load: () => import('../run/vectors.ts'),
}

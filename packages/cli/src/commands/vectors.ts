/** `brokerwire vectors FILE...`: checks vector files against the signer. */
import type { CommandDefinition } from '../frame/definition.ts'

export const vectors: CommandDefinition = {
  name: 'vectors',
  summary: 'check files of signature vectors; status 1 if any fails',
  args: [
    {
      name: '<file...>',
      help: 'JSON file with arrays of records: HTTP records have "path", stream records "requestHex"',
    },
  ],
  examples: [
    {
      does: 'check vectors of another implementation',
      line: 'brokerwire vectors vectors.json',
    },
  ],
  load: () => import('../run/vectors.ts'),
}

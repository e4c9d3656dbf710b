/** The documents of the command line that are made of its definitions: by path, from the repository's root. */

import { simulateSchema } from '../../packages/cli/src/simulate/schema.ts'
import { relayConfigSchema } from '../../packages/relay/src/index.ts'
import { commandsPage } from './commands-page.ts'
import { manualPages } from './manual-pages.ts'

/** The texts by path. */
export function documents(): ReadonlyMap<string, string> {
  const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`
  return new Map([
    ['packages/cli/COMMANDS.md', commandsPage()],
    ...[...manualPages()].map(([name, text]) => [`packages/cli/man/${name}`, text] as const),
    ['packages/cli/schemas/relay.schema.json', json(relayConfigSchema())],
    ['packages/cli/schemas/simulate.schema.json', json(simulateSchema())],
  ])
}

/** The documents of the command line that are made of its definitions: by path, from the repository's root. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { simulateSchema } from '../../../packages/cli/src/simulate/schema.ts'
import { relayConfigSchema } from '../../../packages/relay/src/index.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { commandsPage } from './commands-page.ts'
import { manualPages } from './manual-pages.ts'
import { withRelayFields } from './relay-fields.ts'

const RELAY_PAGE = 'packages/relay/README.md'

/** The texts by path. */
export function documents(): ReadonlyMap<string, string> {
  const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`
  return new Map([
    ['packages/cli/COMMANDS.md', commandsPage()],
    ...[...manualPages()].map(([name, text]) => [`packages/cli/man/${name}`, text] as const),
    ['packages/cli/schemas/relay.schema.json', json(relayConfigSchema())],
    [RELAY_PAGE, withRelayFields(readFileSync(join(ROOT, RELAY_PAGE), 'utf8'))],
    ['packages/cli/schemas/simulate.schema.json', json(simulateSchema())],
  ])
}

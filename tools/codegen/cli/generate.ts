/**
 * Generates the documents of the command line, from the definitions of its commands and of the configuration
 * files.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { simulateSchema } from '../../../packages/cli/src/simulate/schema.ts'
import { relayConfigSchema } from '../../../packages/relay/src/index.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { type Generated, replaceSection } from '../files.ts'
import { commandsPage } from './commands-page.ts'
import { manualPages } from './manual-pages.ts'
import { relayFields } from './relay-fields.ts'

const RELAY_PAGE = 'docs/reference/relay-configuration.md'
const OPENING = '<!-- fields: written by pnpm generate cli -->'

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

export function generate(): Generated {
  const relayPage = readFileSync(join(ROOT, RELAY_PAGE), 'utf8')
  const files = new Map([
    ['packages/cli/COMMANDS.md', commandsPage()],
    ...[...manualPages()].map(([name, text]) => [`packages/cli/man/${name}`, text] as const),
    ['packages/cli/schemas/relay.schema.json', json(relayConfigSchema())],
    ['packages/cli/schemas/simulate.schema.json', json(simulateSchema())],
    [RELAY_PAGE, replaceSection(relayPage, OPENING, '<!-- end of fields -->', relayFields())],
  ])
  return { files, folders: ['packages/cli/man'] }
}

/** The state diagrams in the README of packages/tokens, from the transition tables that run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ACCESS_TOKEN_TRANSITIONS } from '../../../packages/tokens/src/access/machine.ts'
import { CLIENT_TOKEN_TRANSITIONS } from '../../../packages/tokens/src/client/machine.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { type Generated, replaceSection } from '../files.ts'
import { type DrawnRow, drawDiagram } from './diagram.ts'

const PAGE = 'packages/tokens/README.md'

export function generate(): Generated {
  const withDiagram = (page: string, name: string, table: readonly DrawnRow[]): string =>
    replaceSection(
      page,
      `<!-- diagram: ${name} -->`,
      '<!-- /diagram -->',
      `\`\`\`mermaid\n${drawDiagram(table)}\n\`\`\``,
    )
  const page = readFileSync(join(ROOT, PAGE), 'utf8')
  const access = withDiagram(page, 'access token', ACCESS_TOKEN_TRANSITIONS)
  return { files: new Map([[PAGE, withDiagram(access, 'client token', CLIENT_TOKEN_TRANSITIONS)]]) }
}

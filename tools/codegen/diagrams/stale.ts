/** The diagrams in the tokens README against the tables that run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ACCESS_TOKEN_TABLE } from '../../../packages/tokens/src/access/machine.ts'
import { CLIENT_TOKEN_TABLE } from '../../../packages/tokens/src/client/machine.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { drawDiagram, placeDiagram } from './diagram.ts'

/** From the root. */
export const DOCUMENT = 'packages/tokens/README.md'

/** The document as it stands, as it should stand, and the diagrams that have no place in it. */
export function freshDocument(): { before: string; after: string; missing: string[] } {
  const before = readFileSync(join(ROOT, DOCUMENT), 'utf8')
  let after = before
  const missing: string[] = []
  for (const [name, table] of [
    ['access token', ACCESS_TOKEN_TABLE],
    ['client token', CLIENT_TOKEN_TABLE],
  ] as const) {
    const placed = placeDiagram(after, name, drawDiagram(table))
    if (placed === undefined) missing.push(name)
    else after = placed
  }
  return { before, after, missing }
}

/** Generates OPERATIONS.md and openapi.json of packages/operations, from its table. */
import { openApiDocument } from '@brokerwire/operations/table'
import type { Generated } from '../files.ts'
import { operationsPage } from './page.ts'

export function generate(): Generated {
  return {
    files: new Map([
      ['packages/operations/OPERATIONS.md', operationsPage()],
      ['packages/operations/openapi.json', `${JSON.stringify(openApiDocument(), undefined, 2)}\n`],
    ]),
  }
}

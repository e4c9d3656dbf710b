/** Runs `brokerwire api` without an operation: lists the table. */
import type { PathFamily } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { OPERATION_DESCRIPTIONS, OPERATIONS } from '@brokerwire/operations/table'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'

interface ListFlags {
  readonly list?: boolean
  readonly json?: boolean
  readonly pathFamily?: PathFamily
}

export const run: Run<ListFlags> = async ({ flags, io }) => {
  if (!flags.list)
    throw optionError('<operation>', 'is missing. `brokerwire api --list` lists the operations')
  const { pathFamily = 'current' } = flags
  const rows = Object.values(OPERATIONS).map((row) => ({
    name: row.name,
    method: row.method,
    path: row.paths[pathFamily] ?? null,
    confidence: row.confidence,
    description: OPERATION_DESCRIPTIONS[row.name] ?? '',
    effect: row.effect ?? null,
    sources: row.sources,
  }))
  if (flags.json) {
    io.out(escapeJsonControlChars(JSON.stringify({ pathFamily, operations: rows })))
    return EXIT.done
  }
  const cells = rows.map(({ name, method, path, confidence, description }) => [
    name,
    method,
    path ?? `none with --path-family ${pathFamily}`,
    confidence,
    description,
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  for (const row of cells) io.out(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return EXIT.done
}

/** The reports in git: read, written, and the values that they list. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { Reports } from './changes.ts'
import { apiEntries, REPORTS } from './entries.ts'

const FOLDER = join(ROOT, REPORTS)

/** What stands in git. */
export function readReports(): Reports {
  if (!existsSync(FOLDER)) return new Map()
  return new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]))
}

/** Makes the folder hold these reports and no other. */
export function writeReports(reports: Reports): void {
  mkdirSync(FOLDER, { recursive: true })
  for (const file of readReports().keys()) if (!reports.has(file)) rmSync(join(FOLDER, file))
  for (const [file, text] of reports) writeFileSync(join(FOLDER, file), text)
}

/** The exported functions, classes, constants and enums by entry, for example those of `@brokerwire/signer/sync`. */
export function reportedValues(): Map<string, string[]> {
  const reports = readReports()
  return new Map(apiEntries().map(({ name, report }) => [name, valuesIn(reports.get(report) ?? '')]))
}

/** The names of the values that a report exports. */
export function valuesIn(report: string): string[] {
  return [...report.matchAll(/^export (?:abstract )?(?:function|class|const|enum) (\w+)/gm)].map(
    ([, name = '']) => name,
  )
}

/** The API reports in git: one for each entry that has types. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicPackages, ROOT, resolveTarget, type WorkspacePackage } from '../../ci/lib/workspace.ts'

const FOLDER = join(ROOT, 'api')

/** Reports by file name. */
export type Reports = ReadonlyMap<string, string>

/** An entry of a package. */
export interface ApiEntry {
  /** Import path, for example `@brokerwire/signer/sync`. */
  readonly name: string
  readonly pkg: WorkspacePackage
  /** File of its declarations, from the root of the repository. */
  readonly types: string
  /** File name of its report, for example `signer.sync.api.md`. */
  readonly report: string
}

/** Entries to which semantic versioning does not apply. */
const INTERNAL = /\/internal$/

/** Every public entry that has types, by package and in the order of its manifest. */
export function apiEntries(packages: readonly WorkspacePackage[] = publicPackages()): ApiEntry[] {
  return packages.flatMap((pkg) =>
    Object.entries(pkg.manifest.exports ?? {}).flatMap(([subpath, target]) => {
      const types = resolveTarget(target, ['types'])
      if (types?.endsWith('.d.ts') !== true || INTERNAL.test(subpath)) return []
      const name = pkg.manifest.name + subpath.slice(1)
      const report = `${pkg.short}${subpath.slice(1).replaceAll('/', '.')}.api.md`
      return [{ name, pkg, types: join(pkg.directory, types), report }]
    }),
  )
}

/** The reports in git. */
export function readReports(): Reports {
  if (!existsSync(FOLDER)) return new Map()
  return new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]))
}

/** Replaces the reports in git. */
export function writeReports(reports: Reports): void {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  for (const [file, text] of reports) writeFileSync(join(FOLDER, file), text)
}

/**
 * The exported functions, classes, constants and enums of each entry, for example of
 * `@brokerwire/signer/sync`.
 */
export function reportedValues(): Map<string, string[]> {
  const reports = readReports()
  return new Map(apiEntries().map(({ name, report }) => [name, valuesIn(reports.get(report) ?? '')]))
}

/** The names of the values that a report exports. */
export function valuesIn(report: string): string[] {
  const values = report.matchAll(/^export (?:abstract )?(?:function|class|const|enum) (\w+)/gm)
  return [...values].map(([, name = '']) => name)
}

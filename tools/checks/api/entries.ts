/** Which entries have a report: each of `exports` that leads to types. */
import { join } from 'node:path'
import { publicPackages, resolveTarget, type WorkspacePackage } from '../../ci/lib/workspace.ts'

/** Where the reports stand, from the root. */
export const REPORTS = 'api'

/** One entry of a package. */
export interface ApiEntry {
  /** As it is imported, for example `@brokerwire/signer/sync`. */
  readonly name: string
  readonly pkg: WorkspacePackage
  /** Its declarations, from the root. */
  readonly types: string
  /** Its report in {@link REPORTS}, for example `signer.sync.api.md`. */
  readonly report: string
}

/** Every entry with types, by package and in the order of its manifest. */
export function apiEntries(packages: readonly WorkspacePackage[] = publicPackages()): ApiEntry[] {
  return packages.flatMap((pkg) =>
    Object.entries(pkg.manifest.exports ?? {}).flatMap(([subpath, target]) => {
      const types = resolveTarget(target, ['types'])
      if (types?.endsWith('.d.ts') !== true) return []
      return [
        {
          name: pkg.manifest.name + subpath.slice(1),
          pkg,
          types: join(pkg.directory, types),
          report: `${pkg.short}${subpath.slice(1).replaceAll('/', '.')}.api.md`,
        },
      ]
    }),
  )
}

/** The package that a report is of, for example `signer`. */
export function packageOfReport(report: string): string {
  return report.split('.')[0] ?? ''
}

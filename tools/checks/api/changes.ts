/** What differs between reports, and which changed packages no changeset names: pure functions. */
import { SCOPE } from '../../ci/lib/workspace.ts'
import { packageOfReport } from './entries.ts'

/** Reports by their file's name. */
export type Reports = ReadonlyMap<string, string>

/** The files whose texts differ, or that only one side has, sorted. */
export function changedReports(before: Reports, now: Reports): string[] {
  const files = new Set([...before.keys(), ...now.keys()])
  return [...files].filter((file) => before.get(file) !== now.get(file)).sort()
}

/** The packages that a changeset names, for example `signer`. */
export function packagesOfChangeset(text: string): string[] {
  const [, header = ''] = /^---\n([\s\S]*?)^---$/m.exec(text) ?? []
  return [...header.matchAll(/^(['"]?)(\S+)\1: *(?:patch|minor|major) *$/gm)].map(([, , name = '']) =>
    name.startsWith(SCOPE) ? name.slice(SCOPE.length) : name,
  )
}

/**
 * @param changed - Files of reports that changed since the base.
 * @param changesets - Texts of the changesets that came since then.
 * @returns One line for each package whose reports changed and which no changeset names.
 */
export function withoutChangeset(changed: readonly string[], changesets: readonly string[]): string[] {
  const named = new Set(changesets.flatMap(packagesOfChangeset))
  const packages = new Set(changed.map(packageOfReport))
  return [...packages]
    .filter((short) => !named.has(short))
    .map((short) => {
      const files = changed.filter((file) => packageOfReport(file) === short).join(', ')
      return `${SCOPE}${short}: what it exports has changed (${files}) and no changeset that is new or changed names it: pnpm changeset`
    })
}

/** Checks the version of Node, and that all packages have one version. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CheckResult, failed, note, ok } from '../finding.ts'

/** The last day on which new versions support a version of Node, and the end of Node's own corrections. See docs/stability.md. */
const NODE: ReadonlyMap<number, { readonly corrected: string; readonly supported: string }> = new Map([
  [20, { corrected: '2026-04-30', supported: '2027-04-30' }],
  [22, { corrected: '2027-04-30', supported: '2028-04-30' }],
  [24, { corrected: '2028-04-30', supported: '2029-04-30' }],
  [26, { corrected: '2029-04-30', supported: '2030-04-30' }],
])

/** Checks a version of Node, such as `22.12.0`, at an instant in milliseconds since the Unix epoch. */
export function checkNode(version: string, nowMs: number): CheckResult {
  const major = Number(version.split('.')[0])
  const row = NODE.get(major)
  const today = new Date(nowMs).toISOString().slice(0, 10)
  if (row === undefined) return note(`Node ${version} is not in the table of docs/stability.md`)
  if (today > row.supported)
    return failed(`Node ${version} is not supported since ${row.supported}`, 'use a newer Node')
  if (today > row.corrected) return note(`Node ${version} gets no corrections since ${row.corrected}`)
  return ok(`Node ${version}, corrected until ${row.corrected}`)
}

/** The version of an installed package. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
}

/** Checks that the packages have one version: they depend on each other by exact version. */
export function checkPackages(packages: readonly InstalledPackage[]): CheckResult {
  const versions = new Set(packages.map(({ version }) => version))
  const [version] = versions
  if (version === undefined) return note('no package of @brokerwire is installed here')
  return versions.size === 1
    ? ok(`${packages.length} packages of version ${version}`)
    : failed(
        `different versions: ${packages.map(({ name, version: own }) => `${name} ${own}`).join(', ')}`,
        'install the same version of all of them',
      )
}

/** Returns the packages in the nearest `node_modules/@brokerwire`, from a directory upwards. */
export async function findPackages(directory: string): Promise<InstalledPackage[]> {
  const scope = join(directory, 'node_modules/@brokerwire')
  const names = await readdir(scope).catch(() => undefined)
  if (names === undefined) {
    const parent = dirname(directory)
    return parent === directory ? [] : findPackages(parent)
  }
  return Promise.all(
    names.sort().map(async (folder) => {
      const { name, version } = JSON.parse(await readFile(join(scope, folder, 'package.json'), 'utf8'))
      return { name, version }
    }),
  )
}

/** What a user gets who installs a package: how many packages and files, and how large. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What stands in a project's `node_modules`. */
export interface Installed {
  readonly packages: number
  readonly files: number
  readonly kB: number
  /** What its program's bundle weighs, gzipped, where it makes one. */
  readonly bundleBytes?: number | undefined
}

/** Counts what npm installed into a project: it keeps packages in folders, without links. */
export function countInstalled(project: string): Installed {
  let packages = 0
  let files = 0
  let bytes = 0
  const modules = join(project, 'node_modules')
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // Names of commands, and what npm notes down for itself.
    if (!entry.isFile() || /node_modules\/\.(?:bin|package-lock)/.test(path)) continue
    files += 1
    bytes += statSync(path).size
    if (/node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path)) packages += 1
  }
  return { packages, files, kB: Math.round(bytes / 1000) }
}

/** How much more than noted down is too much: others release, too. */
const GROWTH = 1.1

/** The line of a snapshot. */
export const lineOf = (name: string, { packages, files, kB, bundleBytes }: Installed): string =>
  `${name}: ${packages} packages ${files} files ${kB} kB${bundleBytes === undefined ? '' : ` ${bundleBytes} bytes bundled`}`

/** @returns What grew by more than a tenth, or is not noted down. */
export function growth(name: string, now: Installed, lines: readonly string[]): string[] {
  const line = lines.find((one) => one.startsWith(`${name}: `))
  const [packages, files, kB, bundleBytes] = (line?.slice(name.length).match(/ \d+(?= )/g) ?? []).map(Number)
  if (packages === undefined || files === undefined || kB === undefined) return [`${name}: not noted down`]
  const noted: Installed = { packages, files, kB, bundleBytes }
  return (['packages', 'files', 'kB', 'bundleBytes'] as const).flatMap((what) => {
    const [is, was] = [now[what], noted[what]]
    if (is === undefined || (was !== undefined && is <= was * GROWTH)) return []
    return [`${name}: ${is} ${what}, more than a tenth over ${was}`]
  })
}

/** The packages of the workspace, read from their manifests. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@brokerwire/testing/root'

export { ROOT }

export const SCOPE = '@brokerwire/'

/** The value of an `exports` entry: a file, or conditions with such values. */
export type ExportTarget = string | null | { readonly [condition: string]: ExportTarget }

/** The fields of a package.json that the tools read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports?: { readonly [subpath: string]: ExportTarget }
  readonly bin?: Readonly<Record<string, string>>
  readonly packageManager?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A package of the workspace. */
export interface WorkspacePackage {
  /** Name without the scope, for example `core`. */
  readonly short: string
  /** Path from the root, for example `packages/core`. */
  readonly directory: string
  readonly manifest: Manifest
}

export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8')) as Manifest
}

/** The published packages, by name. */
export function publicPackages(): WorkspacePackage[] {
  return allPackages().filter(({ manifest }) => manifest.private !== true)
}

/** The published packages, and the private ones that are built into another package. */
export function allPackages(): WorkspacePackage[] {
  return readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `packages/${name}`)
    .sort()
    .map((directory) => {
      const manifest = readManifest(directory)
      return { short: manifest.name.slice(SCOPE.length), directory, manifest }
    })
}

/** Returns the file that Node would choose for a target under these conditions. */
export function resolveTarget(target: ExportTarget, conditions: readonly string[]): string | undefined {
  if (target === null) return undefined
  if (typeof target === 'string') return target
  for (const [condition, inner] of Object.entries(target)) {
    if (condition !== 'default' && !conditions.includes(condition)) continue
    const file = resolveTarget(inner, conditions)
    if (file !== undefined) return file
  }
  return undefined
}

/** Returns the TypeScript sources of a package's entry points, as paths from the root, by subpath. */
export function sourceEntries(pkg: WorkspacePackage, conditions: readonly string[]): Map<string, string> {
  const entries = new Map<string, string>()
  for (const [subpath, target] of Object.entries(pkg.manifest.exports ?? {})) {
    const file = resolveTarget(target, ['@brokerwire/source', ...conditions])
    if (file?.endsWith('.ts') && !file.endsWith('.d.ts')) {
      entries.set(subpath, join(pkg.directory, file))
    }
  }
  return entries
}

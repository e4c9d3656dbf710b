/**
 * The dependencies of the published packages as a CycloneDX document. The lockfile names the versions with
 * which a release was tested. A user's project can have newer versions from the same ranges.
 */
import { randomUUID } from 'node:crypto'
import { posix } from 'node:path'
import { parse } from 'yaml'
import type { WorkspacePackage } from '../ci/lib/workspace.ts'

type Names = Readonly<Record<string, string>>

interface Lockfile {
  readonly importers: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, { readonly version: string }>> }>
  >
  readonly packages: Readonly<Record<string, { readonly resolution: { readonly integrity: string } }>>
  readonly snapshots: Readonly<
    Record<string, { readonly dependencies?: Names; readonly optionalDependencies?: Names }>
  >
}

/** A package in the document. */
interface Component {
  readonly type: 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[]
}

/** A CycloneDX document, version 1.6. */
export interface Sbom {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
  readonly [field: string]: unknown
}

function componentOf(name: string, version: string, integrity?: string): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const digest = integrity && Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
  const hashes = digest && { hashes: [{ alg: 'SHA-512' as const, content: digest }] }
  return { type: 'library', 'bom-ref': purl, name, version, purl, ...hashes }
}

/**
 * Returns the document for packages and all that their installation brings.
 *
 * @param lockfile - The text of pnpm-lock.yaml.
 */
export function sbomOf(lockfile: string, packages: readonly WorkspacePackage[]): Sbom {
  const { importers, packages: resolved, snapshots } = parse(lockfile) as Lockfile
  const components = new Map<string, Component>()
  const dependencies = new Map<string, readonly string[]>()

  /** Adds an installed package and its dependencies. `key` is `NAME@VERSION(PEER)...`. */
  const add = (key: string): string => {
    const id = key.replace(/\(.*/, '')
    const at = id.lastIndexOf('@')
    const component = componentOf(id.slice(0, at), id.slice(at + 1), resolved[id]?.resolution.integrity)
    const ref = component['bom-ref']
    if (components.has(ref)) return ref
    components.set(ref, component)
    const { dependencies: required, optionalDependencies } = snapshots[key] ?? {}
    const used = Object.entries({ ...required, ...optionalDependencies })
    dependencies.set(
      ref,
      used.map(([name, version]) => add(keyOf(name, version))),
    )
    return ref
  }
  /** The version of an alias names the package. */
  const keyOf = (name: string, version: string): string =>
    `${name}@${version}` in snapshots ? `${name}@${version}` : version

  const own = packages.map(({ manifest: { name, version } }) => componentOf(name, version))
  for (const component of own) components.set(component['bom-ref'], component)
  for (const [index, { directory }] of packages.entries()) {
    const used = Object.entries(importers[directory]?.dependencies ?? {}).map(([name, { version }]) => {
      if (!version.startsWith('link:')) return add(keyOf(name, version))
      const linked = posix.join(directory, version.slice('link:'.length))
      const component = own[packages.findIndex((pkg) => pkg.directory === linked)]
      if (component === undefined)
        throw new Error(`${directory} depends on ${linked}, which is not published`)
      return component['bom-ref']
    })
    dependencies.set(own[index]?.['bom-ref'] ?? '', used)
  }
  const [{ version = '' } = {}] = own
  const root = { ...componentOf('brokerwire', version), type: 'application' }
  dependencies.set(
    root['bom-ref'],
    own.map((component) => component['bom-ref']),
  )
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: { timestamp: new Date().toISOString(), component: root },
    components: [...components.values()],
    dependencies: [...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn: [...new Set(dependsOn)] })),
  }
}

/**
 * The files of a release: the tarballs of the versions that the registry does not have, the list of
 * dependencies, and the digests of both. Packing needs no permission. Another job publishes the tarballs.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, runOrThrow } from '../ci/lib/run.ts'
import { type Manifest, publicPackages, ROOT, type WorkspacePackage } from '../ci/lib/workspace.ts'
import { inBuildOrder } from './build.ts'
import { packStaged, tarballName } from './packed/tarballs.ts'
import { NO_ADDRESS, NO_REPORTING_ADDRESS, type ProjectAddress } from './project-address.ts'
import { sbomOf } from './sbom.ts'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])
/** Lines `DIGEST  FILE`, as `sha512sum --check` reads them. Dependencies come before their users. */
export const DIGESTS = 'SHA512SUMS'
const SBOM = 'sbom.cdx.json'

/** Addresses without which nothing is published. */
export interface Addresses {
  readonly address: ProjectAddress | undefined
  /** The address for private reports. */
  readonly reportingAddress: string | undefined
}

/**
 * Returns the reason why nothing may be published, or `undefined` if publishing is allowed. If an address is
 * missing, only a registry on this machine is allowed, because a public version cannot be withdrawn. Without
 * the project's address, a version has pages without links and a manifest without an origin.
 */
export function refusal({ address, reportingAddress }: Addresses, registry: string): string | undefined {
  const missing = [
    ...(address === undefined ? [NO_ADDRESS] : []),
    ...(reportingAddress === undefined ? [NO_REPORTING_ADDRESS] : []),
  ]
  const isLocal = URL.canParse(registry) && LOOPBACK.has(new URL(registry).hostname)
  return missing.length > 0 && !isLocal
    ? `not released: ${missing.join('; ')}. Only a registry on loopback is allowed`
    : undefined
}

/** Options of {@link packRelease}. */
export interface ReleaseOptions extends Addresses {
  /** @defaultValue the registry that npm is configured for */
  readonly registry?: string
}

/**
 * Writes the files of a release.
 *
 * @param staged - The output of `copyPackages` and `stampPackages`.
 * @param folder - Folder for the files.
 * @returns The names of the tarballs. If there are none, only an empty file of digests is written.
 * @throws An error if nothing may be published.
 */
export async function packRelease(
  staged: string,
  folder: string,
  { registry, ...addresses }: ReleaseOptions,
): Promise<string[]> {
  const env: Record<string, string> = registry === undefined ? {} : { npm_config_registry: registry }
  const configured = await runOrThrow('npm', ['config', 'get', 'registry'], { env })
  const refused = refusal(addresses, configured.trim())
  if (refused !== undefined) throw new Error(refused)
  const packages = inBuildOrder(publicPackages()).map((pkg): WorkspacePackage => {
    const manifest = JSON.parse(readFileSync(join(staged, pkg.directory, 'package.json'), 'utf8')) as Manifest
    return { ...pkg, manifest }
  })
  const missing = []
  for (const pkg of packages) if (!(await isPublished(pkg.manifest, env))) missing.push(pkg)

  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) throw new Error(`FOLDER must be empty; received ${folder}`)
  const names = missing.map(({ manifest }) => tarballName(manifest))
  if (missing.length > 0) {
    await packStaged(staged, folder, missing)
    const lockfile = readFileSync(join(ROOT, 'pnpm-lock.yaml'), 'utf8')
    writeFileSync(join(folder, SBOM), `${JSON.stringify(sbomOf(lockfile, packages), undefined, 2)}\n`)
  }
  const lines = [...names, ...(names.length > 0 ? [SBOM] : [])].map((name) => {
    const digest = createHash('sha512')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
    return `${digest}  ${name}\n`
  })
  writeFileSync(join(folder, DIGESTS), lines.join(''))
  return names
}

/** Whether the registry has the version of a manifest. */
async function isPublished(
  { name, version }: Manifest,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  // The registry of a scope overrides the configured one.
  const scoped =
    env.npm_config_registry === undefined ? [] : [`--@brokerwire:registry=${env.npm_config_registry}`]
  const { status, output, stdout } = await run('npm', ['view', `${name}@${version}`, 'version', ...scoped], {
    env,
  })
  if (status !== 0 && !output.includes('E404')) throw new Error(`npm view ${name} failed: ${output}`)
  return status === 0 && stdout.trim() === version
}

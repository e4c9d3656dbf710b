/**
 * The project's address: `repository`, `homepage`, `bugs` and `author` of the root's package.json.
 * `pnpm pack` writes them into manifests and pages.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../ci/lib/workspace.ts'

/** Values for the manifest of each package. */
export interface ProjectAddress {
  /** Address of the repository's page, `https://HOST/OWNER/NAME`. */
  readonly repository: string
  /** @defaultValue the page of the package's folder in the repository */
  readonly homepage?: unknown
  /** @defaultValue the page of issues in the repository */
  readonly bugs?: unknown
  readonly author?: unknown
}

export const NO_ADDRESS =
  "no repository is set: write it as 'repository' into the root's package.json, as docs/releasing.md describes; until then links in packed pages are plain text"

export const NO_REPORTING_ADDRESS =
  'no address for private reports is set: replace the placeholder in SECURITY.md'

/** Returns the address for private reports in SECURITY.md, or `undefined` if it is the placeholder. */
export function reportingAddressIn(page: string): string | undefined {
  const address = /^Private reports: <([^\s>]+)>$/m.exec(page)?.[1]
  return address?.endsWith('.invalid') ? undefined : address
}

/**
 * Returns the address in a manifest, or `undefined` if the manifest has none.
 *
 * @throws An error if the repository is not the `https:` address of a page, which links and provenance need.
 */
export function addressIn(manifest: Readonly<Record<string, unknown>>): ProjectAddress | undefined {
  const { repository: given, homepage, bugs, author } = manifest
  const url = typeof given === 'object' && given !== null && 'url' in given ? given.url : given
  if (url === undefined) return undefined
  const repository = String(url)
    .replace(/^git\+/, '')
    .replace(/(?:\.git)?\/?$/, '')
  if (!/^https:\/\/[^\s/?#@]+\/[^\s?#]+$/.test(repository))
    throw new Error(`repository must be https://HOST/OWNER/NAME; received ${JSON.stringify(url)}`)
  return { repository, homepage, bugs, author }
}

/** The address of this checkout. */
export function currentAddress(root: string = ROOT): ProjectAddress | undefined {
  return addressIn(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>)
}

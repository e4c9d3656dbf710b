/**
 * Where the project lives, from the one place that says so: `repository`, `homepage`, `bugs` and `author` of the root's
 * package.json. Manifests and pages in tarballs get it when they are packed, so that nothing invented stands in them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../ci/lib/workspace.ts'

/** What packing writes into each manifest. */
export interface Place {
  /** The repository's page, `https://HOST/OWNER/NAME`. */
  readonly repository: string
  /** @defaultValue the package's folder in the repository */
  readonly homepage?: string
  /** @defaultValue the repository's issues */
  readonly bugs?: string
  readonly author?: string
}

/** What is said where no place is set. */
export const NO_PLACE =
  "no repository is set: write it as 'repository' into the root's package.json, as docs/releasing.md says; until then links in packed pages are plain text"

const textOf = (value: unknown, key: 'url' | 'name'): string | undefined => {
  if (typeof value === 'string') return value
  const inner =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  return typeof inner === 'string' ? inner : undefined
}

/**
 * The place that a manifest names.
 *
 * @returns `undefined` where it names none.
 * @throws An error where the repository is no `https:` address of a page: links and provenance are made of it.
 */
export function placeOf(manifest: Readonly<Record<string, unknown>>): Place | undefined {
  const given = textOf(manifest.repository, 'url')
  if (given === undefined) return undefined
  const repository = given.replace(/^git\+/, '').replace(/(?:\.git)?\/?$/, '')
  if (!/^https:\/\/[^\s/?#@]+\/[^\s?#]+$/.test(repository)) {
    throw new Error(`repository: expected https://HOST/OWNER/NAME, got ${JSON.stringify(given)}`)
  }
  const homepage = textOf(manifest.homepage, 'url')
  const bugs = textOf(manifest.bugs, 'url')
  const author = textOf(manifest.author, 'name')
  return {
    repository,
    ...(homepage === undefined ? {} : { homepage }),
    ...(bugs === undefined ? {} : { bugs }),
    ...(author === undefined ? {} : { author }),
  }
}

/** The place that this checkout names. */
export function currentPlace(root: string = ROOT): Place | undefined {
  return placeOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>)
}

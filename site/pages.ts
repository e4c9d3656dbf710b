/**
 * The documents that are pages of the site, and their paths. VitePress reads one folder, `docs`: the documents of
 * other folders are copied into folders of `docs` that git ignores.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { currentAddress } from '../tools/release/project-address.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const DOCS = join(ROOT, 'docs')
/** Folder of the API reference. */
export const API = join(DOCS, 'reference/api')
export const API_SIDEBAR = join(API, 'typedoc-sidebar.json')

const isPublished = (name: string): boolean =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')).private !== true

/** Short names of the published packages. */
export const PACKAGES: readonly string[] = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && isPublished(entry.name))
  .map(({ name }) => name)

/** Paths of the copied pages below `docs`, by the path of the document. */
const COPIES = new Map([
  ['packages/README.md', 'packages/index.md'],
  ...PACKAGES.flatMap(pagesOfPackage),
  ...['ARCHITECTURE', 'CONTRIBUTING', 'SECURITY', 'STYLE'].map(
    (name) => [`${name}.md`, `project/${name.toLowerCase()}.md`] as const,
  ),
])

function pagesOfPackage(name: string): [source: string, page: string][] {
  return readdirSync(join(ROOT, 'packages', name))
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .map((file) => {
      const page = file === 'README.md' ? `${name}.md` : `${name}/${file.toLowerCase()}`
      return [`packages/${name}/${file}`, `packages/${page}`]
    })
}

const SOURCES = new Map([...COPIES].map(([source, page]) => [page, source]))

/** Copies the documents. */
export function copyPages(): void {
  for (const folder of ['packages', 'project']) rmSync(join(DOCS, folder), { recursive: true, force: true })
  for (const [source, page] of COPIES) {
    mkdirSync(dirname(join(DOCS, page)), { recursive: true })
    copyFileSync(join(ROOT, source), join(DOCS, page))
  }
}

/** Returns the path from the root of the document that is shown by a page. */
export function sourceOf(page: string): string {
  const path = page.split(sep).join('/')
  return SOURCES.get(path) ?? `docs/${path}`
}

/** Address of the repository. `undefined` until the root manifest has one. */
const REPOSITORY = currentAddress(ROOT)?.repository

/**
 * Returns the target of a link on the site, or `undefined` if it has none: a file that is not a page, in a repository
 * without an address.
 *
 * @param source - The document with the link, as a path from the root.
 */
export function linkOnSite(source: string, href: string): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|#|\/)/i.test(href)) return href
  const [path = '', heading] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, '')
  const page = COPIES.get(target) ?? /^docs\/(.*\.(?:md|png|svg))$/.exec(target)?.[1]
  const url =
    target === 'README.md' || page === 'README.md'
      ? '/'
      : page !== undefined
        ? `/${page}`
        : REPOSITORY && `${REPOSITORY}/blob/HEAD/${target}`
  return url && heading !== undefined ? `${url}#${heading}` : url
}

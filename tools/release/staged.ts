/** A copy of the packages as they are packed and published, with the project's address and without tests. */
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { publicPackages, ROOT } from '../ci/lib/workspace.ts'
import type { ProjectAddress } from './project-address.ts'
import { stampManifest, stampPage } from './stamp.ts'

const ROOT_FILES = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', 'LICENSE', '.changeset']
// Tests are removed here, because a manifest cannot exclude all of them: npm and pnpm always pack files whose
// name starts with "readme".
const NOT_COPIED = /\/(?:coverage|\.bin|src\/test)$|\.test(?:-d)?\.ts$/

/**
 * Whether a path is copied. Of `node_modules`, only packages of the workspace are copied, because their
 * versions are written into the packed manifests.
 */
function isCopied(source: string): boolean {
  if (NOT_COPIED.test(source)) return false
  const installed = /\/node_modules\/(.+)$/.exec(source)?.[1]
  return installed === undefined || /^@brokerwire(?:\/[^/]+)?$/.test(installed)
}

const isFolder = (path: string): boolean =>
  statSync(join(ROOT, path), { throwIfNoEntry: false })?.isDirectory() === true

/** Copies the built packages, and the other files of a release, into an empty folder. */
export function copyPackages(folder: string): void {
  for (const file of ROOT_FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  }
  for (const { directory } of publicPackages()) {
    const options = { recursive: true, verbatimSymlinks: true, filter: isCopied }
    cpSync(join(ROOT, directory), join(folder, directory), options)
  }
}

/** Writes the project's address into the manifests and pages of a copy. */
export function stampPackages(folder: string, address: ProjectAddress | undefined): void {
  for (const { directory } of publicPackages()) {
    const copy = join(folder, directory)
    const manifestFile = join(copy, 'package.json')
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, unknown>
    const stamped = stampManifest(manifest, directory, address)
    writeFileSync(manifestFile, `${JSON.stringify(stamped, undefined, 2)}\n`)
    for (const name of readdirSync(copy).filter((name) => name.endsWith('.md'))) {
      const page = join(copy, name)
      if (!lstatSync(page).isFile()) continue
      writeFileSync(page, stampPage(readFileSync(page, 'utf8'), relative(folder, page), address, isFolder))
    }
  }
}

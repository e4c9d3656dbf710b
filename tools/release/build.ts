/**
 * `pnpm build`: creates the `dist` of every package. The compiler writes declarations file by file. One
 * bundler process writes the code into as few files as possible. The console page is copied into the
 * simulator. A build is skipped if its inputs have not changed.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ARROWS } from '../checks/dependencies/arrows.ts'
import { runOrThrow } from '../ci/lib/run.ts'
import { publicPackages, ROOT, type WorkspacePackage } from '../ci/lib/workspace.ts'
import { bundlePackage } from './bundle/bundle.ts'

const COMPILER = join(ROOT, 'tools/node_modules/typescript-7/bin/tsc')
const KEY_FILE = join(ROOT, 'node_modules/.cache/brokerwire-build-key')
/**
 * All inputs of a build: files, and folders with all their files. git is not used, because a container image
 * has no repository.
 */
const INPUTS = [
  ...publicPackages().map(({ directory }) => directory),
  'packages/console',
  'tools/release/build.ts',
  'tools/release/bundle',
  'tsconfig.base.json',
  'tsconfig.build.json',
  'pnpm-lock.yaml',
]
const NOT_READ = /(?:^|\/)(?:node_modules|dist|test)\/|\.(?:test|test-d)\.ts$|\.md$/

/**
 * The hash of files and folders.
 *
 * @param paths - Paths from the root.
 * @param notRead - Matches paths that are skipped.
 */
export function hashOf(paths: readonly string[], notRead: RegExp): string {
  const hash = createHash('sha256')
  const add = (path: string): void => {
    if (notRead.test(path)) return
    if (statSync(join(ROOT, path)).isFile()) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)))
    else for (const name of readdirSync(join(ROOT, path)).sort()) add(`${path}/${name}`)
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}

/**
 * Sorts packages for a build. Dependencies come before the packages that use them, because a package is
 * compiled with their declarations.
 */
export function inBuildOrder(packages: readonly WorkspacePackage[]): WorkspacePackage[] {
  const ordered: WorkspacePackage[] = []
  const add = (pkg: WorkspacePackage): void => {
    if (ordered.includes(pkg)) return
    const uses = ARROWS[pkg.short]?.uses ?? []
    for (const used of packages) if (uses.includes(used.short)) add(used)
    ordered.push(pkg)
  }
  for (const pkg of packages) add(pkg)
  return ordered
}

/** Builds every package, unless the last build had the same inputs. */
export async function build(): Promise<void> {
  const packages = inBuildOrder(publicPackages())
  const key = hashOf(INPUTS, NOT_READ)
  const isBuilt = packages.every(({ directory }) => existsSync(join(ROOT, directory, 'dist')))
  if (isBuilt && existsSync(KEY_FILE) && readFileSync(KEY_FILE, 'utf8') === key) return
  rmSync(KEY_FILE, { force: true })
  for (const { directory } of packages) {
    rmSync(join(ROOT, directory, 'dist'), { recursive: true, force: true })
    for (const config of ['tsconfig.build.json', 'tsconfig.build.node.json'])
      if (existsSync(join(ROOT, directory, config)))
        await runOrThrow(process.execPath, [COMPILER, '-p', config], { cwd: join(ROOT, directory) })
    await bundlePackage(join(ROOT, directory))
  }
  const page = join(ROOT, 'packages/console/page.js')
  await runOrThrow(process.execPath, [page])
  await runOrThrow(process.execPath, [page, '--into', join(ROOT, 'packages/simulator/dist/console-page')])
  mkdirSync(dirname(KEY_FILE), { recursive: true })
  writeFileSync(KEY_FILE, key)
}

if (process.argv[1] === import.meta.filename) {
  await build()
  console.log('build: done')
}

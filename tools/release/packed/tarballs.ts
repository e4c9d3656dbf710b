/**
 * The tarballs that a release would publish, packed once for all checks that look at them.
 *
 * They are kept between runs under a key of everything that goes into them, so that each check also runs alone.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../../ci/lib/run.ts'
import { publicPackages, ROOT, type WorkspacePackage } from '../../ci/lib/workspace.ts'
import { currentPlace } from '../place.ts'
import { copyPackages, stampPackages } from '../staged.ts'

const FOLDER = join(ROOT, 'node_modules/.cache/brokerwire-packed')
const UNPACKED = new Set(['node_modules', '.turbo', 'coverage'])

/** A packed package. */
export interface Tarball {
  readonly pkg: WorkspacePackage
  readonly path: string
}

/** Packs all packages, unless what was packed last is still what would be. Needs them built: `pnpm build`. */
export async function tarballs(): Promise<Tarball[]> {
  const packages = publicPackages()
  const key = keyOf(packages.map(({ directory }) => join(ROOT, directory)))
  const keyFile = join(FOLDER, 'key')
  if (!existsSync(keyFile) || readFileSync(keyFile, 'utf8') !== key) {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    const staged = mkdtempSync(join(tmpdir(), 'brokerwire-staged-'))
    try {
      copyPackages(staged)
      stampPackages(staged, currentPlace())
      const [command, ...args] = pnpm()
      const pack = ['-r', '--filter', './packages/*', 'pack', '--pack-destination', FOLDER]
      await runOrThrow(command, [...args, ...pack], { cwd: staged })
    } finally {
      rmSync(staged, { recursive: true, force: true })
    }
    writeFileSync(keyFile, key)
  }
  return packages.map((pkg) => {
    const { name, version } = pkg.manifest
    return { pkg, path: join(FOLDER, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`) }
  })
}

/** The pnpm that runs this script, or the pinned one. */
function pnpm(): readonly [string, ...string[]] {
  const running = process.env.npm_execpath
  if (running !== undefined && /pnpm[^/\\]*$/.test(running)) return [process.execPath, running]
  return ['npx', '-y', 'pnpm@10.34.8']
}

function keyOf(directories: readonly string[]): string {
  const hash = createHash('sha256')
  const add = (directory: string): void => {
    const entries = readdirSync(directory, { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (UNPACKED.has(entry.name)) continue
      const file = join(directory, entry.name)
      if (entry.isDirectory()) add(file)
      else hash.update(`${file}\0`).update(readFileSync(file))
    }
  }
  for (const directory of directories) add(directory)
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'LICENSE'])
    hash.update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

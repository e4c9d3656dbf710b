/**
 * The tarballs that a release would publish. The first program that needs them builds and packs them. They
 * stay in a cache until one of their source files changes.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOrThrow } from '../../ci/lib/run.ts'
import {
  type Manifest,
  publicPackages,
  ROOT,
  readManifest,
  SCOPE,
  type WorkspacePackage,
} from '../../ci/lib/workspace.ts'
import { build, hashOf } from '../build.ts'
import { currentAddress } from '../project-address.ts'
import { copyPackages, stampPackages } from '../staged.ts'

const FOLDER = join(ROOT, 'node_modules/.cache/brokerwire-packed')
const NOT_PACKED = /\/(?:node_modules|coverage)\//
const ROOT_FILES = ['package.json', 'pnpm-workspace.yaml', 'LICENSE']

/** A packed package. */
export interface Tarball {
  readonly pkg: WorkspacePackage
  readonly path: string
}

/** Builds and packs all packages, unless the last run had the same source files. */
export async function tarballs(): Promise<Tarball[]> {
  await build()
  const packages = publicPackages()
  const key = hashOf([...packages.map(({ directory }) => directory), ...ROOT_FILES], NOT_PACKED)
  const keyFile = join(FOLDER, 'key')
  if (!existsSync(keyFile) || readFileSync(keyFile, 'utf8') !== key) {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    const staged = mkdtempSync(join(tmpdir(), 'brokerwire-staged-'))
    try {
      copyPackages(staged)
      stampPackages(staged, currentAddress())
      await packStaged(staged, FOLDER, packages)
    } finally {
      rmSync(staged, { recursive: true, force: true })
    }
    writeFileSync(keyFile, key)
  }
  return packages.map((pkg) => ({ pkg, path: join(FOLDER, tarballName(pkg.manifest)) }))
}

/**
 * Returns the tarballs of these packages and of all workspace packages that they depend on. Names of other
 * packages are returned unchanged.
 */
export async function sourcesOf(names: readonly string[]): Promise<string[]> {
  const packed = new Map((await tarballs()).map((tarball) => [tarball.pkg.manifest.name, tarball]))
  const closure = new Set(names)
  for (const name of closure)
    for (const dependency of Object.keys(packed.get(name)?.pkg.manifest.dependencies ?? {}))
      if (dependency.startsWith(SCOPE)) closure.add(dependency)
  return [...closure].map((name) => packed.get(name)?.path ?? name)
}

/** The file name of a package's tarball. */
export function tarballName({ name, version }: Manifest): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

/** Packs packages of a staged copy into a folder. */
export async function packStaged(
  staged: string,
  destination: string,
  packages: readonly WorkspacePackage[],
): Promise<void> {
  const [command, ...args] = pnpm()
  const filters = packages.map(({ directory }) => `--filter=./${directory}`)
  await runOrThrow(command, [...args, '-r', ...filters, 'pack', '--pack-destination', destination], {
    cwd: staged,
  })
}

/** The pnpm that runs this script, or the pinned version. */
function pnpm(): readonly [string, ...string[]] {
  const running = process.env.npm_execpath
  if (running !== undefined && /pnpm[^/\\]*$/.test(running)) return [process.execPath, running]
  return ['npx', '-y', readManifest('.').packageManager?.replace(/\+.*/, '') ?? 'pnpm']
}

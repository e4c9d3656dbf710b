/**
 * `pnpm rehearse [--update]`: rehearses a release on a copy, with a registry on this machine.
 *
 * - changesets sets one version for all packages. The tarballs are packed, compared with their digests and
 *   published, as the release workflow does. Packing again finds nothing to publish. At the end a second
 *   version is published, which is installed next to the first one.
 * - npm installs each package alone. npm, pnpm and yarn install all of them, import every entry point,
 *   `require` one and run the demo.
 * - Every consumer runs.
 * - A package fails if its installation has more packages than `installs.json` states, or is more than ten
 *   percent larger than stated there. In both cases a dependency has grown.
 */
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runServer } from 'verdaccio'
import { runOrThrow } from '../ci/lib/run.ts'
import { publicPackages } from '../ci/lib/workspace.ts'
import { BUN, DENO, installEngines } from '../runtimes/engines.ts'
import { build } from './build.ts'
import { CONSUMERS } from './consumers.ts'
import type { ProjectAddress } from './project-address.ts'
import { Rehearsal } from './rehearsal.ts'
import { DIGESTS, packRelease } from './release.ts'
import { copyPackages, stampPackages } from './staged.ts'

/** An address that does not exist. */
const ADDRESS: ProjectAddress = { repository: 'https://git.example/owner/brokerwire' }
const BUDGET_FILE = join(import.meta.dirname, 'installs.json')
const SLACK = 1.1
const RELATIVE_LINK = /\]\((?![a-z][a-z\d+.-]*:|#)[^)\s]+\)/i
/** Entry points that need another runtime, a test runner, or the optional peer `protobufjs`, which a consumer has. */
const NOT_IMPORTED = /json$|testing|vitest|durable|protobufjs/

/** The number and the size of the packages that npm installs for one package. */
interface Installed {
  readonly packages: number
  readonly kB: number
}

/**
 * Starts an empty registry. It gets packages that are not ours from the registry that npm is configured for.
 */
async function startRegistry(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const settings: unknown = {
    self_path: folder,
    configPath: join(folder, 'config.yaml'),
    storage: join(folder, 'storage'),
    security: {},
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: { npm: { url: (await runOrThrow('npm', ['config', 'get', 'registry'])).trim() } },
    packages: {
      '@brokerwire/*': { access: '$all', publish: '$anonymous' },
      '**': { access: '$all', proxy: 'npm' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
    web: { enable: false },
    max_body_size: '50mb',
  }
  const server = (await runServer(settings as string)) as Server
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** The version in the manifest of a folder. */
function versionIn(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

/** Counts the packages in a project's `node_modules`, and adds up their sizes. */
function countInstalled(project: string): Installed {
  let packages = 0
  let bytes = 0
  const modules = join(project, 'node_modules')
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || /node_modules\/\.(?:bin|package-lock)/.test(path)) continue
    bytes += statSync(path).size
    if (/node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path)) packages += 1
  }
  return { packages, kB: Math.round(bytes / 1000) }
}

/** Returns the problems of an installed package. */
function problemsOf(folder: string, { packages, kB }: Installed, budget: Installed | undefined): string[] {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  const problems = []
  if (budget === undefined) problems.push('no budget')
  else if (packages > budget.packages) problems.push(`brings ${packages} packages, not ${budget.packages}`)
  else if (kB > budget.kB * SLACK) problems.push(`${kB} kB, more than a tenth over ${budget.kB} kB`)
  const { repository, version } = JSON.parse(manifest)
  if (!JSON.stringify(repository ?? '').includes(ADDRESS.repository)) problems.push('no repository')
  if (version === '0.0.0') problems.push('no version')
  if (/"(?:workspace|catalog):/.test(manifest)) problems.push('a range that only the workspace can resolve')
  if (RELATIVE_LINK.test(readFileSync(join(folder, 'README.md'), 'utf8'))) problems.push('a relative link')
  if (!readFileSync(join(folder, 'CHANGELOG.md'), 'utf8').includes('## ')) problems.push('an empty changelog')
  return problems
}

await build()
await installEngines([DENO, BUN], false)
const names = publicPackages().map(({ manifest }) => manifest.name)
const budgets = JSON.parse(readFileSync(BUDGET_FILE, 'utf8')) as Readonly<Record<string, Installed>>
const isUpdate = process.argv.includes('--update')
const rehearsal = new Rehearsal()
const registry = await startRegistry(rehearsal.folder)
// The registry is also set for the scope, because a package manager that runs this program passes its own
// registry to npm, and the registry of a scope overrides that.
rehearsal.npmrc = `registry=${registry.url}\n@brokerwire:registry=${registry.url}\n`
try {
  const copy = join(rehearsal.folder, 'copy')
  mkdirSync(copy)
  copyPackages(copy)
  // npm publishes only if it has a token.
  const userconfig = join(rehearsal.folder, 'npmrc')
  writeFileSync(userconfig, `//${new URL(registry.url).host}/:_authToken=rehearsal\n`, { mode: 0o600 })
  const env = { npm_config_registry: registry.url, npm_config_userconfig: userconfig }
  const options = { address: ADDRESS, reportingAddress: undefined, registry: registry.url }
  /** Packs the versions that the registry does not have, verifies the digests, and publishes the tarballs. */
  const release = async (name: string): Promise<void> => {
    const folder = join(rehearsal.folder, name)
    const packed = await packRelease(copy, folder, options)
    await runOrThrow('sha512sum', ['--check', '--strict', '--status', DIGESTS], { cwd: folder })
    for (const tarball of packed)
      await runOrThrow('npm', ['publish', '--access', 'public', `./${tarball}`], { cwd: folder, env })
  }
  await rehearsal.step('changeset version', () => runOrThrow('changeset', ['version'], { cwd: copy }))
  await rehearsal.step('all packages have one version', async () => {
    const versions = publicPackages().map(({ directory }) => versionIn(join(copy, directory)))
    if (new Set(versions).size > 1) throw new Error(versions.join(', '))
  })
  stampPackages(copy, ADDRESS)
  await rehearsal.step('tarballs are packed, compared with their digests and published', () =>
    release('first'),
  )
  await rehearsal.step('packing again finds nothing to publish', async () => {
    const tarballs = await packRelease(copy, join(rehearsal.folder, 'again'), options)
    if (tarballs.length > 0) throw new Error(tarballs.join('\n'))
  })

  const installed: Record<string, Installed> = {}
  for (const name of names)
    await rehearsal.step(`npm installs ${name}`, async () => {
      const cwd = rehearsal.project(`alone-${name}`)
      await runOrThrow('npm', ['install', name, '--no-audit', '--no-fund'], { cwd })
      const counted = countInstalled(cwd)
      installed[name] = counted
      const budget = isUpdate ? counted : budgets[name]
      const problems = problemsOf(join(cwd, 'node_modules', name), counted, budget)
      if (problems.length > 0) throw new Error(problems.join('; '))
    })
  if (isUpdate) writeFileSync(BUDGET_FILE, `${JSON.stringify(installed, undefined, 2)}\n`)

  const entries = publicPackages().flatMap(({ manifest: { name, exports = {} } }) =>
    Object.entries(exports).flatMap(([subpath, target]) =>
      NOT_IMPORTED.test(subpath) || target === null ? [] : [name + subpath.slice(1)],
    ),
  )
  const files = {
    'entries.mjs': `for (const entry of ${JSON.stringify(entries)}) await import(entry)`,
    'required.cjs': "require('@brokerwire/signer').createSigner({ appKey: 'k', appSecret: 's' })",
    '.yarnrc': `registry "${registry.url}"\n`,
  }
  const managers = {
    npm: ['npm', 'install', '--no-audit', '--no-fund'],
    pnpm: ['pnpm', 'add', '--ignore-workspace'],
    yarn: ['npx', '-y', 'yarn@1.22.22', 'add', '--no-lockfile'],
  }
  for (const [manager, [command = '', ...args]] of Object.entries(managers)) {
    const cwd = rehearsal.project(`all-${manager}`, files)
    const step = (title: string, program: string, of: readonly string[]): Promise<void> =>
      rehearsal.step(`${manager}: ${title}`, () => runOrThrow(program, of, { cwd }))
    await step('installs all packages', command, [...args, ...names])
    await step('every entry point is imported', 'node', ['entries.mjs'])
    await step('require', 'node', ['required.cjs'])
    await step('brokerwire demo', join(cwd, 'node_modules/.bin/brokerwire'), ['demo'])
  }
  for (const consumer of CONSUMERS) await rehearsal.consume(consumer, consumer.installs)

  const first = versionIn(join(copy, 'packages/core'))
  await rehearsal.step('a second version is packed and published', async () => {
    writeFileSync(
      join(copy, '.changeset/second.md'),
      "---\n'@brokerwire/core': patch\n---\n\nSecond version.\n",
    )
    await runOrThrow('changeset', ['version'], { cwd: copy })
    await release('second')
  })
  await rehearsal.step('two versions in one project recognize errors and secrets of each other', async () => {
    const second = versionIn(join(copy, 'packages/core'))
    const cwd = rehearsal.project('two-versions', {
      'two-versions.mjs': readFileSync(join(import.meta.dirname, 'two-versions.mjs'), 'utf8'),
    })
    const installs = [
      `@brokerwire/core@${first}`,
      `@brokerwire/signer@${first}`,
      `second-core@npm:@brokerwire/core@${second}`,
      `second-signer@npm:@brokerwire/signer@${second}`,
    ]
    await runOrThrow('npm', ['install', ...installs, '--no-audit', '--no-fund'], { cwd })
    await runOrThrow('node', ['two-versions.mjs', first, second], { cwd })
  })
} finally {
  await registry.close()
  rehearsal.end('release (after an intended change: pnpm rehearse --update)')
}

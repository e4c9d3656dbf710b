/**
 * `pnpm release:rehearse [--update]`: a release from its versions to its users, on a copy and a registry of this machine.
 *
 * Versions by changesets, published by changesets, installed by npm, pnpm and yarn, and by every kind of consumer, run. What a
 * package brings along is held against `tools/release/snapshots/installs.txt`, a consumer's project against `consumers.txt` beside it. Needs the build: `pnpm build`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../ci/lib/run.ts'
import { publicPackages } from '../ci/lib/workspace.ts'
import { installMissing } from '../runtimes/install.ts'
import { countInstalled, growth, lineOf } from './installed.ts'
import type { Place } from './place.ts'
import { publish } from './publish.ts'
import { startRegistry } from './registry.ts'
import { createRehearsal, failed, IS_UPDATE, notedIn, noteIn, rehearseConsumers } from './rehearsal.ts'
import { copyPackages, stampPackages } from './staged.ts'

/** Of the rehearsal alone: no such host exists. */
const PLACE: Place = { repository: 'https://git.example/owner/brokerwire' }
const SNAPSHOT = 'tools/release/snapshots/installs.txt'
const RELATIVE_LINK = /\]\((?![a-z][a-z\d+.-]*:|#)[^)\s]+\)/i

const names = publicPackages().map(({ manifest }) => manifest.name)
if (process.env.CI) await installMissing()
const registry = await startRegistry()
// For the scope too: a package manager that runs this tells its programs of its own registry, and they take that one first.
const rehearsal = createRehearsal(`registry=${registry.url}\n@brokerwire:registry=${registry.url}\n`)
const { folder, project, step } = rehearsal

try {
  const copy = join(folder, 'copy')
  mkdirSync(copy)
  copyPackages(copy)
  // npm publishes with some token alone.
  const userconfig = join(folder, 'npmrc')
  writeFileSync(userconfig, `//${new URL(registry.url).host}/:_authToken=rehearsal\n`, { mode: 0o600 })
  const options = { place: PLACE, registry: registry.url, env: { npm_config_userconfig: userconfig } }

  await step('changeset version', async () => failed(await run('changeset', ['version'], { cwd: copy })))
  stampPackages(copy, PLACE)
  await step('changeset publish', async () => failed(await publish(copy, options)))
  await step('changeset publish, once more: nothing is left', async () => {
    const again = await publish(copy, options)
    return /No unpublished/.test(again.output) ? undefined : again.output.slice(-2000)
  })

  const installs: string[] = []
  const noted = notedIn(SNAPSHOT)
  for (const name of names) {
    const alone = project(name.replace('@brokerwire/', 'alone-'))
    await step(`npm install ${name}`, async () => {
      const done = await run('npm', ['install', name, '--no-audit', '--no-fund'], { cwd: alone })
      if (done.status !== 0) return failed(done)
      const installed = countInstalled(alone)
      installs.push(lineOf(name, installed))
      const own = join(alone, 'node_modules', name)
      const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as Record<string, unknown>
      const wrong = [
        ...(IS_UPDATE ? [] : growth(name, installed, noted)),
        ...(JSON.stringify(manifest.repository).includes(PLACE.repository) ? [] : ['no repository']),
        ...(/"(?:workspace|catalog):/.test(JSON.stringify(manifest)) ? ['a range of the workspace'] : []),
        ...(RELATIVE_LINK.test(readFileSync(join(own, 'README.md'), 'utf8')) ? ['a relative link'] : []),
        ...(readFileSync(join(own, 'CHANGELOG.md'), 'utf8').includes('## ') ? [] : ['an empty changelog']),
      ]
      return wrong.length === 0 ? undefined : wrong.join('; ')
    })
  }

  const entries = publicPackages().flatMap(({ manifest: { name, exports = {} } }) =>
    Object.entries(exports).flatMap(([subpath, target]) =>
      // Entries for tests and for other runtimes need what a user has there.
      /json$|testing|vitest|durable/.test(subpath) || target === null ? [] : [`${name}${subpath.slice(1)}`],
    ),
  )
  const program = `for (const entry of ${JSON.stringify(entries)}) await import(entry)\n`
  const required =
    "const { createSigner } = require('@brokerwire/signer')\ncreateSigner({ appKey: 'k', appSecret: 's' })\n"
  const managers: readonly (readonly [string, readonly string[]])[] = [
    ['npm', ['npm', 'install', '--no-audit', '--no-fund', ...names]],
    ['pnpm', ['pnpm', 'add', '--ignore-workspace', ...names]],
    ['yarn', ['npx', '-y', 'yarn@1.22.22', 'add', '--no-lockfile', ...names]],
  ]
  for (const [manager, [command = '', ...args]] of managers) {
    const whole = project(`whole-${manager}`, {
      'entries.mjs': program,
      'required.cjs': required,
      '.yarnrc': `registry "${registry.url}"\n`,
    })
    await step(`${manager} installs everything`, async () => failed(await run(command, args, { cwd: whole })))
    await step(`${manager}: every entry is imported`, async () =>
      failed(await run('node', ['entries.mjs'], { cwd: whole })),
    )
    await step(`${manager}: require`, async () => failed(await run('node', ['required.cjs'], { cwd: whole })))
    await step(`${manager}: brokerwire demo`, async () =>
      failed(await run(join(whole, 'node_modules/.bin/brokerwire'), ['demo'], { cwd: whole })),
    )
  }
  noteIn(SNAPSHOT, installs)
  const consumers = await rehearseConsumers(rehearsal)
  rehearsal.end(
    [...installs, '', ...consumers],
    'release (after an intended change: pnpm release:rehearse --update)',
  )
} finally {
  await registry.close()
  rehearsal.close()
}

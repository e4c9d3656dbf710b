/**
 * `pnpm test:newest-peers`: installs the tarballs in an empty project, together with the newest versions that
 * their peer ranges allow and the newest clients of the stores. Then it signs a request, receives an event of
 * the simulator, and runs the contract of the stores. It needs a registry, and the servers of the stores.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNats } from '@brokerwire/testing/nats'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startRedis } from '@brokerwire/testing/redis'
import { runOrThrow } from '../../ci/lib/run.ts'
import { sourcesOf, tarballs } from '../packed/tarballs.ts'
import { Rehearsal } from '../rehearsal.ts'

const PACKAGES = ['client', 'relay', 'simulator', 'stores'].map((name) => `@brokerwire/${name}`)
/** Clients that the stores take as values. No manifest has a range for them. */
const CLIENTS = ['@nats-io/kv', '@nats-io/transport-node', 'ioredis', 'pg', 'redis']
/** Packages with symbols or classes that code of two copies does not recognize. */
const SINGLE = ['@bufbuild/protobuf', '@connectrpc/connect']

/** The peers of the packages with their ranges, except the test runner. */
async function peers(): Promise<string[]> {
  const ranges = (await tarballs()).flatMap(({ pkg: { manifest } }) =>
    PACKAGES.includes(manifest.name) ? Object.entries(manifest.peerDependencies ?? {}) : [],
  )
  return [...new Set(ranges.filter(([name]) => name !== 'vitest').map(([name, range]) => `${name}@${range}`))]
}

/** The versions of a package in a project: one for each copy. */
function copies(project: string, name: string): string[] {
  return readdirSync(project, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(`node_modules/${name}/package.json`))
    .map((file) => JSON.parse(readFileSync(join(project, file), 'utf8')).version)
}

const rehearsal = new Rehearsal()
try {
  const programs = ['events.mjs', 'stores.mjs']
  const cwd = rehearsal.project(
    'newest-peers',
    Object.fromEntries(programs.map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')])),
  )
  await rehearsal.step('the newest peers and clients are installed', async () => {
    const newest = [...(await peers()), ...CLIENTS.map((name) => `${name}@latest`)]
    const packages = await sourcesOf(PACKAGES)
    await runOrThrow('npm', ['install', '--no-audit', '--no-fund', ...packages, ...newest], { cwd })
    const { dependencies } = JSON.parse(await runOrThrow('npm', ['ls', '--json', '--depth=0'], { cwd }))
    for (const [name, { version }] of Object.entries<{ version: string }>(dependencies))
      if (!name.startsWith('@brokerwire/')) console.log(`        ${name} ${version}`)
  })
  for (const name of SINGLE)
    await rehearsal.step(`the project has one copy of ${name}`, async () => {
      const versions = copies(cwd, name)
      if (versions.length !== 1) throw new Error(versions.join(', '))
    })
  await rehearsal.step('a signed request, and an order event of the simulator', () =>
    runOrThrow('node', ['events.mjs'], { cwd }),
  )
  await rehearsal.step('the contract of the stores over redis, ioredis, pg and nats', async () => {
    const servers = await Promise.all([startNats(), startPostgres(), startRedis()])
    const [NATS_PORT = '', POSTGRES_PORT = '', REDIS_PORT = ''] = servers.map(({ port }) => String(port))
    try {
      await runOrThrow('node', ['stores.mjs'], { cwd, env: { NATS_PORT, POSTGRES_PORT, REDIS_PORT } })
    } finally {
      for (const server of servers) await server.close()
    }
  })
} finally {
  rehearsal.end('newest peers')
}

/** Whether the servers of the tests are installed, and how they are. In CI a missing one fails its tests. */
import { existsSync, readdirSync } from 'node:fs'
import { GO, GO_PATH } from './build-go.ts'

const POSTGRES_ROOT = '/usr/lib/postgresql'

function firstOf(...paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path))
}

/** The newest Postgres' folder of programs. */
function postgresPrograms(): string | undefined {
  if (!existsSync(POSTGRES_ROOT)) return undefined
  const [newest] = readdirSync(POSTGRES_ROOT).sort((one, other) => Number(other) - Number(one))
  return newest === undefined ? undefined : firstOf(`${POSTGRES_ROOT}/${newest}/bin`)
}

/** Paths of the programs; of Postgres and of sources, their folder. */
export const PROGRAMS = {
  'redis-server': firstOf('/usr/bin/redis-server', '/usr/local/bin/redis-server'),
  postgresql: postgresPrograms(),
  'nats-server': firstOf('/usr/sbin/nats-server', '/usr/local/bin/nats-server'),
  pgbouncer: firstOf('/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer'),
  mosquitto: firstOf('/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'),
  // A library of Debian's Python: that it is there.
  'python3-paho-mqtt': firstOf('/usr/lib/python3/dist-packages/paho/mqtt/client.py'),
  'golang-go': firstOf(GO),
  'golang-github-nats-io-go-nats-dev': firstOf(`${GO_PATH}/src/github.com/nats-io/nats.go`),
}

/** Debian's packages. */
export type ServerPackage = keyof typeof PROGRAMS

/** The program. @throws Where it is not installed. */
export function programOf(name: ServerPackage): string {
  const path = PROGRAMS[name]
  if (path === undefined) throw new Error(howToInstall([name]))
  return path
}

function howToInstall(names: readonly ServerPackage[]): string {
  return `not installed: apt-get install --no-install-recommends ${names.join(' ')}`
}

/**
 * What stands behind a suite's name, and whether it is skipped: where a server is missing, and this is not CI.
 */
export function needs(...names: readonly ServerPackage[]): Need {
  return decideNeed(names, PROGRAMS, process.env.CI !== undefined)
}

/** What {@link needs} gives. */
interface Need {
  readonly skip: boolean
  readonly note: string
}

/** The same as a pure function. */
export function decideNeed(
  names: readonly ServerPackage[],
  programs: Readonly<Record<ServerPackage, string | undefined>>,
  isCi: boolean,
): Need {
  const missing = names.filter((name) => programs[name] === undefined)
  if (missing.length === 0) return { skip: false, note: '' }
  return isCi ? { skip: false, note: '' } : { skip: true, note: ` (skipped: ${howToInstall(missing)})` }
}

/** Options of suites that start, kill and promote real servers: on a busy machine that takes its time. */
export const REAL_SERVERS = { timeout: 120_000 } as const

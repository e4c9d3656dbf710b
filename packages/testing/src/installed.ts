/**
 * The servers and programs that tests use. If one is not installed, its tests are skipped. In CI they fail.
 */
import { existsSync, readdirSync } from 'node:fs'
import { GO, GO_PATH } from './build-go.ts'

const POSTGRES_ROOT = '/usr/lib/postgresql'

function firstOf(...paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path))
}

/** Returns the folder with the programs of the newest installed Postgres. */
function postgresPrograms(): string | undefined {
  if (!existsSync(POSTGRES_ROOT)) return undefined
  const [newest] = readdirSync(POSTGRES_ROOT).sort((one, other) => Number(other) - Number(one))
  return newest === undefined ? undefined : firstOf(`${POSTGRES_ROOT}/${newest}/bin`)
}

/**
 * Paths of the programs; `undefined` for a program that is not installed. For Postgres and for sources, paths
 * of their folders.
 */
export const PROGRAMS = {
  'redis-server': firstOf('/usr/bin/redis-server', '/usr/local/bin/redis-server'),
  postgresql: postgresPrograms(),
  'nats-server': firstOf('/usr/sbin/nats-server', '/usr/local/bin/nats-server'),
  pgbouncer: firstOf('/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer'),
  mosquitto: firstOf('/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'),
  prometheus: firstOf('/usr/bin/prometheus', '/usr/local/bin/prometheus'),
  openssl: firstOf('/usr/bin/openssl', '/usr/local/bin/openssl', '/opt/homebrew/bin/openssl'),
  squid: firstOf('/usr/sbin/squid', '/usr/local/sbin/squid'),
  tinyproxy: firstOf('/usr/bin/tinyproxy', '/usr/local/bin/tinyproxy'),
  python3: firstOf('/usr/bin/python3', '/usr/local/bin/python3', '/opt/homebrew/bin/python3'),
  // A library of Debian's Python.
  'python3-paho-mqtt': firstOf('/usr/lib/python3/dist-packages/paho/mqtt/client.py'),
  'python3-redis': firstOf('/usr/lib/python3/dist-packages/redis/__init__.py'),
  'golang-go': firstOf(GO),
  'golang-github-nats-io-go-nats-dev': firstOf(`${GO_PATH}/src/github.com/nats-io/nats.go`),
}

/** Names of Debian packages. */
export type ServerPackage = keyof typeof PROGRAMS

/**
 * Returns the path of a program.
 *
 * @throws If it is not installed.
 */
export function programOf(name: ServerPackage): string {
  const path = PROGRAMS[name]
  if (path === undefined) throw new Error(howToInstall([name]))
  return path
}

function howToInstall(names: readonly ServerPackage[]): string {
  return `not installed: apt-get install --no-install-recommends ${names.join(' ')}`
}

/**
 * Returns whether a suite is skipped because a server is missing, and a note for the end of its title. In CI
 * no suite is skipped.
 */
export function needs(...names: readonly ServerPackage[]): Need {
  return decideNeed(names, PROGRAMS, process.env.CI !== undefined)
}

/** The result of {@link needs}. */
interface Need {
  readonly skip: boolean
  readonly note: string
}

/** Decides the result of {@link needs}, as a pure function. */
export function decideNeed(
  names: readonly ServerPackage[],
  programs: Readonly<Record<ServerPackage, string | undefined>>,
  isCi: boolean,
): Need {
  const missing = names.filter((name) => programs[name] === undefined)
  if (missing.length === 0) return { skip: false, note: '' }
  return isCi ? { skip: false, note: '' } : { skip: true, note: ` (skipped: ${howToInstall(missing)})` }
}

/** Options of suites that start, kill and promote real servers, which takes long on a busy machine. */
export const REAL_SERVERS = { timeout: 120_000 } as const

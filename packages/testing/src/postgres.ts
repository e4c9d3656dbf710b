/**
 * A Postgres server, and PgBouncer in front of it. Neither server runs as root. If the tests run as root, the
 * servers run as the user `postgres`, which Debian's package creates.
 */
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { chown, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildServer, probeText, startServer } from './child-server.ts'
import { programOf } from './installed.ts'
import { templateFolder } from './template-folder.ts'

/** A server with its address. */
export interface PostgresServer extends ChildServer {
  readonly url: string
}

/** Returns the user that runs the servers if this process is root; otherwise `undefined`. */
const asPostgres = (): { uid: number; gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres']))
  postgresUser ??= { uid: idOf('-u'), gid: idOf('-g') }
  return postgresUser
}
let postgresUser: { uid: number; gid: number } | undefined

async function run(command: string, args: readonly string[], options: SpawnOptions): Promise<void> {
  const child = spawn(command, [...args], options)
  let output = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    output += bytes.toString()
  })
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${output}`)
}

const STARTUP = '\u0000\u0003\u0000\u0000user\u0000postgres\u0000database\u0000postgres\u0000\u0000'

/** Sends the first message of a client. The server responds with `R` when it is ready. */
const probe = (port: number): Promise<void> =>
  probeText(port, `\u0000\u0000\u0000${String.fromCharCode(STARTUP.length + 4)}${STARTUP}`, /^R/)

async function initdb(data: string, options: SpawnOptions): Promise<void> {
  const flags = ['-U', 'postgres', '-A', 'trust', '--no-sync', '--wal-segsize=1', '--locale=C', '-E', 'UTF8']
  await run(join(programOf('postgresql'), 'initdb'), ['-D', data, ...flags], options)
}

async function makeTemplate(folder: string, options: SpawnOptions): Promise<string> {
  const template = join(folder, 'postgres')
  if (existsSync(template)) return template
  const user = asPostgres()
  if (user) await chown(folder, user.uid, user.gid)
  const made = join(folder, `postgres-${randomUUID()}`)
  await initdb(made, options)
  // Another process may have created the folder first, with the same data.
  await rename(made, template).catch(() => {})
  return template
}
let template: Promise<string> | undefined

/**
 * Creates the data of a new server. A run of tests creates the data once and copies it for each server,
 * because a copy takes a tenth of the time.
 */
async function makeData(directory: string, options: SpawnOptions): Promise<void> {
  const data = join(directory, 'data')
  const folder = templateFolder()
  if (folder === undefined) return initdb(data, options)
  template ??= makeTemplate(folder, { ...options, cwd: folder })
  await run('cp', ['-R', await template, data], options)
}

const postgresArgs = (port: number, directory: string): string[] => [
  ...['-D', join(directory, 'data'), '-p', String(port), '-k', directory],
  // fsync protects only against a crash of the machine, which is not tested.
  ...['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=150'],
  // A small buffer is enough for these tests.
  ...['-c', 'shared_buffers=16MB'],
]

function withUrl(server: ChildServer): PostgresServer {
  return Object.assign(server, { url: `postgres://postgres@127.0.0.1:${server.port}/postgres` })
}

export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const programs = programOf('postgresql')
  const server = await startServer({
    name: 'postgres',
    command: join(programs, 'postgres'),
    user: asPostgres(),
    prepare: makeData,
    args: (port, directory) => [
      ...postgresArgs(port, directory),
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    probe,
  })
  return withUrl(server)
}

/** Starts a standby that follows the primary at `primaryPort`, and can be promoted. */
export async function startStandby(
  primaryPort: number,
  followPort: number,
): Promise<PostgresServer & { promote(): Promise<void> }> {
  const programs = programOf('postgresql')
  let data = ''
  let spawnOptions: SpawnOptions = {}
  const server = await startServer({
    name: 'standby',
    command: join(programs, 'postgres'),
    user: asPostgres(),
    async prepare(directory, options) {
      data = join(directory, 'data')
      spawnOptions = options
      const from = ['-h', '127.0.0.1', '-p', String(primaryPort), '-U', 'postgres']
      await run(
        join(programs, 'pg_basebackup'),
        [...from, '-D', data, '--no-sync', '-c', 'fast', '-X', 'stream'],
        options,
      )
      const own = asPostgres()
      writeFileSync(join(data, 'standby.signal'), '')
      if (own) chownSync(join(data, 'standby.signal'), own.uid, own.gid)
    },
    args: (port, directory) => [
      ...postgresArgs(port, directory),
      ...['-c', `primary_conninfo=host=127.0.0.1 port=${followPort} user=postgres application_name=standby`],
      // If the primary had no new data, the standby asks it again after this delay. The default is 5 s.
      ...['-c', 'wal_retrieve_retry_interval=50ms'],
    ],
    probe,
  })
  return Object.assign(withUrl(server), {
    promote: () => run(join(programs, 'pg_ctl'), ['promote', '-w', '-D', data], spawnOptions),
  })
}

/**
 * Starts a transaction pooler with few connections to a server. Each statement may run in another session.
 */
export async function startPgBouncer(postgres: PostgresServer): Promise<PostgresServer> {
  const user = asPostgres()
  const server = await startServer({
    name: 'pgbouncer',
    command: programOf('pgbouncer'),
    user,
    args: (port, directory) => {
      const file = join(directory, 'pgbouncer.ini')
      const lines = [
        '[databases]',
        `postgres = host=127.0.0.1 port=${postgres.port} dbname=postgres user=postgres`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        'pool_mode = transaction',
        'default_pool_size = 3',
      ]
      writeFileSync(file, lines.join('\n'))
      if (user) chownSync(file, user.uid, user.gid)
      return ['-q', file]
    },
    probe,
  })
  return withUrl(server)
}

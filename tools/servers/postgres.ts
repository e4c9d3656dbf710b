/**
 * A Postgres server, and PgBouncer before it. Both refuse to run as root: there they run as the user `postgres`, which
 * Debian's package makes.
 */
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChildServer, startServer } from './child-server.ts'
import { programOf } from './installed.ts'

/** A server with its address. */
export interface PostgresServer extends ChildServer {
  readonly url: string
}

const asPostgres = (): { uid: number; gid: number } | undefined =>
  process.getuid?.() === 0
    ? {
        uid: Number(execFileSync('id', ['-u', 'postgres'])),
        gid: Number(execFileSync('id', ['-g', 'postgres'])),
      }
    : undefined

async function run(command: string, args: readonly string[], options: SpawnOptions): Promise<void> {
  const child = spawn(command, [...args], options)
  let said = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    said += bytes.toString()
  })
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${said}`)
}

/** It answers a question for its version of TLS with one letter as soon as it takes connections. */
async function probe(port: number): Promise<void> {
  await run(join(programOf('postgresql'), 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-t', '2'], {
    stdio: 'ignore',
  })
}

const postgresArgs = (port: number, directory: string): string[] => [
  ...['-D', join(directory, 'data'), '-p', String(port), '-k', directory],
  // A crash of the process loses nothing without it; one of the machine is not tested.
  ...['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=150'],
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
    prepare: (directory, options) =>
      run(
        join(programs, 'initdb'),
        [
          '-D',
          join(directory, 'data'),
          '-U',
          'postgres',
          '-A',
          'trust',
          '--no-sync',
          '--locale=C',
          '-E',
          'UTF8',
        ],
        options,
      ),
    args: (port, directory) => [
      ...postgresArgs(port, directory),
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    probe,
  })
  return withUrl(server)
}

/** A standby that follows the primary at `primaryPort`, and can be promoted. */
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
    ],
    probe,
  })
  return Object.assign(withUrl(server), {
    promote: () => run(join(programs, 'pg_ctl'), ['promote', '-w', '-D', data], spawnOptions),
  })
}

/** A transaction pooler with few connections before a server: a session is another one after each statement. */
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

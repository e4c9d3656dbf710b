/**
 * A Redis server. It has an append-only file unless a test disables it, because the Redis store rejects a
 * server without one.
 */
import { type ChildServer, probeText, startServer } from './child-server.ts'
import { programOf } from './installed.ts'

/** Options of {@link startRedis}. */
export interface RedisServerOptions {
  /** @defaultValue true */
  readonly appendOnly?: boolean
  /** Additional arguments of the command line. */
  readonly args?: readonly string[]
}

/** A server with its address. */
export interface RedisServer extends ChildServer {
  readonly url: string
}

export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startServer({
    name: 'redis',
    command: programOf('redis-server'),
    args: (port, directory) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
      ...['--appendonly', options.appendOnly === false ? 'no' : 'yes'],
      // By default, Redis syncs its file once per second. If a slow disk is still busy with the previous
      // sync, a write stays in memory. Here it syncs at each write.
      ...['--appendfsync', 'always', '--repl-diskless-sync-delay', '0'],
      ...(options.args ?? []),
    ],
    probe: (port) => probeText(port, 'PING\r\n', /^(\+PONG|-NOAUTH|-NOPERM)/),
  })
  return Object.assign(server, { url: `redis://127.0.0.1:${server.port}` })
}

/** A NATS server with JetStream on a file store. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildServer, probeText, startServer } from './child-server.ts'
import { freePort } from './free-port.ts'
import { programOf } from './installed.ts'

/**
 * Starts a server.
 *
 * @param config - Additional lines for the configuration file.
 * @param detached - Whether the server has its own process group, which Ctrl-C in a terminal does not reach.
 */
export function startNats(
  config?: string,
  { detached = false }: { readonly detached?: boolean } = {},
): Promise<ChildServer> {
  return startServer({
    name: 'nats',
    detached,
    command: programOf('nats-server'),
    async prepare(directory) {
      if (config !== undefined) await writeFile(join(directory, 'nats.conf'), config)
    },
    args: (port, directory) => [
      ...['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', directory],
      ...(config === undefined ? [] : ['-c', join(directory, 'nats.conf')]),
    ],
    probe: (port) => probeText(port, '', /"jetstream":true/),
  })
}

/** Starts a cluster of three servers. */
export async function startNatsCluster(): Promise<{
  readonly servers: readonly ChildServer[]
  close(): Promise<void>
}> {
  const routePorts = await Promise.all([freePort(), freePort(), freePort()])
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`)
  const servers = await Promise.all(
    routePorts.map((routePort, at) =>
      startServer({
        name: 'nats',
        command: programOf('nats-server'),
        args: (port, directory) => [
          ...['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', directory, '-n', `n${at}`],
          ...['--cluster_name', 'tests', '--cluster', `nats://127.0.0.1:${routePort}`],
          ...['--routes', routes.join(',')],
        ],
        probe: (port) => probeText(port, '', /"jetstream":true/),
      }),
    ),
  )
  return {
    servers,
    async close() {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

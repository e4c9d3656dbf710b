/** Debian's HTTP proxies, configured as companies do. */
import { readFileSync, writeFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ChildServer, type ServerPlan, startServer } from './child-server.ts'
import { programOf } from './installed.ts'

/** A running proxy. It is closed at the end of the test. */
export interface RealProxy extends ChildServer {
  /** `http://127.0.0.1:port`. */
  readonly url: string
  /** Returns the proxy's log of requests. */
  log(): string
}

export interface ProxyOptions {
  /**
   * The `user` and `password` that the proxy requires. They must not contain characters that are special in a
   * shell.
   */
  readonly credentials?: { readonly user: string; readonly password: string } | undefined
  /**
   * Whether the proxy rejects every CONNECT with status 403.
   * @defaultValue false
   */
  readonly refuses?: boolean | undefined
}

/** Debian's user `proxy`, because squid does not run as root. */
const PROXY_USER = { uid: 13, gid: 13 }

const probe = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.on('error', reject)
  })

async function start(plan: Omit<ServerPlan, 'probe'>): Promise<RealProxy> {
  let folder = ''
  const server = await startServer({
    ...plan,
    probe,
    args(port, directory) {
      folder = directory
      return plan.args(port, directory)
    },
  })
  onTestFinished(() => server.close())
  return {
    ...server,
    port: server.port,
    url: `http://127.0.0.1:${server.port}`,
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
  }
}

/**
 * Starts squid.
 *
 * @param options.hosts - Addresses of host names that only this proxy can resolve.
 */
export function startSquid(
  options: ProxyOptions & { readonly hosts?: Readonly<Record<string, string>> | undefined } = {},
): Promise<RealProxy> {
  const { credentials, refuses = false, hosts = {} } = options
  return start({
    name: 'squid',
    command: programOf('squid'),
    user: process.getuid?.() === 0 ? PROXY_USER : undefined,
    async prepare(directory) {
      const lines = Object.entries(hosts).map(([name, address]) => `${address} ${name}\n`)
      writeFileSync(join(directory, 'hosts'), lines.join(''))
      const { user = '', password = '' } = credentials ?? {}
      // Squid writes lines to the helper, each with a user and a password, both percent-encoded.
      const known = `${encodeURIComponent(user)} ${encodeURIComponent(password)}`
      const helper = join(directory, 'helper')
      writeFileSync(
        helper,
        `#!/bin/sh\nwhile read -r line; do [ "$line" = '${known}' ] && echo OK || echo ERR; done\n`,
      )
      await chmod(helper, 0o755)
    },
    args(port, directory) {
      const lines = [
        `http_port 127.0.0.1:${port}`,
        'pid_filename none',
        `hosts_file ${join(directory, 'hosts')}`,
        `access_log stdio:${join(directory, 'log')}`,
        `cache_log ${join(directory, 'cache.log')}`,
        `coredump_dir ${directory}`,
        'cache deny all',
        'shutdown_lifetime 0 seconds',
        ...(credentials === undefined
          ? []
          : [
              `auth_param basic program ${join(directory, 'helper')}`,
              'acl known proxy_auth REQUIRED',
              'http_access deny !known',
            ]),
        refuses ? 'http_access deny all' : 'http_access allow all',
      ]
      const file = join(directory, 'squid.conf')
      writeFileSync(file, `${lines.join('\n')}\n`)
      return ['-N', '-f', file]
    },
  })
}

export function startTinyproxy({ credentials, refuses = false }: ProxyOptions = {}): Promise<RealProxy> {
  return start({
    name: 'tinyproxy',
    command: programOf('tinyproxy'),
    args(port, directory) {
      const lines = [
        `Port ${port}`,
        'Listen 127.0.0.1',
        `LogFile "${join(directory, 'log')}"`,
        'LogLevel Connect',
        ...(credentials === undefined ? [] : [`BasicAuth ${credentials.user} ${credentials.password}`]),
        // The proxy connects only to port 1. Without this line, it connects to every port.
        ...(refuses ? ['ConnectPort 1'] : []),
      ]
      const file = join(directory, 'tinyproxy.conf')
      writeFileSync(file, `${lines.join('\n')}\n`)
      return ['-d', '-c', file]
    },
  })
}

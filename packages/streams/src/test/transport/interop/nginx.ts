/** nginx as a proxy for gRPC, in a separate process. It listens on Unix sockets, so no port has to be free. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createSelfSignedCertificate } from '@brokerwire/simulator'

/** Its path on Debian, which may not be in `PATH`. */
const NGINX = '/usr/sbin/nginx'

/** The command that installs nginx. */
export const NGINX_INSTALL = 'apt-get install nginx-light'

/** Whether nginx is installed. */
export function hasNginx(): boolean {
  return spawnSync(NGINX, ['-v']).status === 0
}

/** A running proxy. */
export interface NginxProxy {
  /** Path of the socket for HTTP/2 in plain text. */
  readonly plain: string
  /** Path of the socket for HTTP/2 over TLS. */
  readonly secure: string
  /** The certificate authority of that socket. */
  readonly authority: string
  close(): Promise<void>
}

/**
 * Starts nginx.
 *
 * @param upstream - Address of the gRPC server.
 * @param directives - Further lines of the configuration, within `http`.
 */
export async function startNginx(upstream: string, directives = ''): Promise<NginxProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'brokerwire-nginx-'))
  const at = (name: string) => join(directory, name)
  const certificate = createSelfSignedCertificate()
  await writeFile(at('cert.pem'), String(certificate.cert))
  await writeFile(at('key.pem'), String(certificate.key), { mode: 0o600 })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const location = `location / { grpc_pass grpc://${new URL(upstream).host}; }
      location /gone { grpc_pass grpc://127.0.0.1:1; }
      location /forbidden { return 403; }`
  const configuration = `daemon off; master_process off; pid ${at('pid')}; error_log stderr notice;
  events {}
  http {
    access_log off;
    ${temporary.map((name) => `${name}_temp_path ${at(name)};`).join(' ')}
    ${directives}
    server { listen unix:${at('plain')} http2; ${location} }
    server {
      listen unix:${at('secure')} ssl http2; ${location}
      ssl_certificate ${at('cert.pem')}; ssl_certificate_key ${at('key.pem')};
    }
  }
`
  await writeFile(at('nginx.conf'), configuration)
  const child = spawn(NGINX, ['-p', directory, '-c', at('nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = once(child, 'exit')
  const log: string[] = []
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      log.push(line)
      // nginx listens before it writes this line.
      if (line.includes('event method')) resolve()
    })
    exit.then(() => reject(new Error(`nginx ended:\n${log.join('\n')}`)), reject)
  })
  return {
    plain: at('plain'),
    secure: at('secure'),
    authority: String(certificate.cert),
    async close() {
      child.kill('SIGTERM')
      await exit
      await rm(directory, { recursive: true })
    },
  }
}

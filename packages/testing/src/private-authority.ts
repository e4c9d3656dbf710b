/** A certificate authority as companies have one, and a server certificate that it has issued. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programOf } from './installed.ts'

/** Keys and certificates in PEM format. */
export interface PrivateAuthority {
  /** The certificate of the authority, which clients must trust. */
  readonly ca: string
  /** The key of the server. */
  readonly key: string
  readonly cert: string
}

/**
 * Creates an authority.
 *
 * @param hosts - Names in the server's certificate, in addition to 127.0.0.1.
 */
export function createPrivateAuthority(...hosts: readonly string[]): PrivateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-authority-'))
  const path = (name: string): string => join(folder, name)
  const issue = (name: string, ...args: readonly string[]): void => {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const files = ['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`)]
    const request = ['req', '-x509', ...newKey, '-days', '2', '-subj', `/CN=${name}`, ...files, ...args]
    execFileSync(programOf('openssl'), request, { stdio: 'pipe' })
  }
  try {
    issue('authority', '-addext', 'keyUsage=critical,keyCertSign')
    const names = ['IP:127.0.0.1', ...hosts.map((host) => `DNS:${host}`)]
    const issuer = ['-CA', path('authority.pem'), '-CAkey', path('authority.key')]
    issue('server', ...issuer, '-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=CA:FALSE')
    const read = (name: string): string => readFileSync(path(name), 'utf8')
    return { ca: read('authority.pem'), key: read('server.key'), cert: read('server.pem') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

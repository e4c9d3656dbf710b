/**
 * Creates a self-signed certificate for the names of this machine. With it, tests need no private key in the
 * repository. The DER encoding is written here, without a library.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import type { TlsOptions } from '../tls/tls-options.ts'

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const time = (text: string): Buffer => der(0x18, Buffer.from(text))

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = oid('550403')
const SUBJECT_ALT_NAME = oid('551d11')

/**
 * Creates a key and its self-signed certificate for localhost, 127.0.0.1 and ::1, in PEM format, for the
 * option `tls`. A client trusts the certificate with `ca: cert`.
 *
 * @example
 * ```ts
 * import { createSelfSignedCertificate, startSimulator } from '@brokerwire/simulator'
 *
 * const simulator = await startSimulator({ tls: createSelfSignedCertificate() })
 * console.log(simulator.baseUrl)
 * await simulator.close()
 * ```
 */
export function createSelfSignedCertificate(): TlsOptions {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('simulator test')))))
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  )
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time('20200101000000Z'), time('20991231000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)))),
  )
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

/**
 * An independent implementation of the signature, as simple as possible and based on the specification alone.
 * The results of the packages are compared with it. It supports only the default options: values of equal
 * names are sorted, and names are sorted by code point.
 */
import { createHash, createHmac } from 'node:crypto'

export interface WireRequest {
  readonly host: string
  /** Path and query as in the request line. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

type Pair = readonly [name: string, value: string]

const ALGORITHMS: Readonly<Record<string, readonly [mac: string, digest: string]>> = {
  'HMAC-SHA1': ['sha1', 'md5'],
  'HMAC-SHA256': ['sha256', 'sha256'],
}
const UNRESERVED = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~'))

/** Percent-encodes each byte that is not an unreserved character. */
export function referenceEncode(text: string): string {
  let out = ''
  for (const byte of Buffer.from(text)) {
    out += UNRESERVED.has(byte)
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return out
}

/** Decodes a part of a form byte by byte. Returns `undefined` if the bytes are not UTF-8. */
function decodeForm(piece: string): string | undefined {
  const bytes: number[] = []
  const raw = Buffer.from(piece)
  for (let i = 0; i < raw.length; i += 1) {
    const hex = raw.subarray(i + 1, i + 3).toString('latin1')
    if (raw[i] === 0x25 && /^[0-9a-f]{2}$/i.test(hex)) {
      bytes.push(Number.parseInt(hex, 16))
      i += 2
    } else bytes.push(raw[i] === 0x2b ? 0x20 : (raw[i] as number))
  }
  const decoded = Buffer.from(bytes)
  const text = decoded.toString('utf8')
  return Buffer.from(text).equals(decoded) ? text : undefined
}

/** Returns the names and values of a query, or `undefined` if one of them cannot be decoded. */
export function referenceQuery(query: string): Pair[] | undefined {
  const pairs: Pair[] = []
  for (const piece of query.split('&')) {
    if (piece === '') continue
    const at = piece.indexOf('=')
    const name = decodeForm(at < 0 ? piece : piece.slice(0, at))
    const value = decodeForm(at < 0 ? '' : piece.slice(at + 1))
    if (name === undefined || value === undefined) return undefined
    pairs.push([name, value])
  }
  return pairs
}

const bytewise = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right))

export function splitTarget(target: string): readonly [path: string, query: string] {
  const at = target.indexOf('?')
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
}

const SIGNED = ['app-key', 'signature-algorithm', 'signature-version', 'signature-nonce', 'timestamp'].map(
  (name) => `x-${name}`,
)

/** Returns the canonical string before percent-encoding, or `undefined` if the request has none. */
export function referenceCanonical({ host, target, headers, body }: WireRequest): string | undefined {
  const [path, rawQuery] = splitTarget(target)
  const query = referenceQuery(rawQuery)
  const algorithm = ALGORITHMS[headers['x-signature-algorithm'] ?? '']
  if (query === undefined || algorithm === undefined) return undefined
  const signed = SIGNED.map((name): Pair => [name, headers[name] ?? ''])
  const pairs: Pair[] = [...query, ...signed, ['host', host]]
  const names = [...new Set(pairs.map(([name]) => name))].sort(bytewise)
  const entries = names.map((name) => {
    const values = pairs.filter(([other]) => other === name).map(([, value]) => value)
    return `${name}=${values.sort(bytewise).join('&')}`
  })
  const digest = createHash(algorithm[1]).update(body).digest('hex').toUpperCase()
  return [path, ...entries, ...(body.length > 0 ? [digest] : [])].join('&')
}

/** The canonical string for the request that opens a stream. */
export function referenceStreamCanonical(
  headers: Readonly<Record<string, string>>,
  request: Uint8Array,
): string | undefined {
  const algorithm = ALGORITHMS[headers['x-signature-algorithm'] ?? '']
  if (algorithm === undefined) return undefined
  const entries = [...SIGNED].sort(bytewise).map((name) => `${name}=${headers[name] ?? ''}`)
  return `${entries.join('=')}&${createHash(algorithm[1]).update(request).digest('hex')}`
}

/** Base64 of the HMAC over a percent-encoded canonical string. */
export function referenceSignature(algorithm: string, secret: string, canonical: string): string {
  const [mac] = ALGORITHMS[algorithm] ?? ['sha1']
  return createHmac(mac, `${secret}&`).update(referenceEncode(canonical)).digest('base64')
}

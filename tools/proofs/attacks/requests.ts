/** Requests that attacks begin with: some plain, many with names and values that a canonical string stumbles over. */
import type { QueryPair, Signature } from '@brokerwire/signer'
import type { Random } from './random.ts'
import { referenceEncode, type WireRequest } from './reference.ts'

/** Names that collide with signed headers, sort between them, or belong to every object. */
const NAMES: readonly string[] = [
  ...[
    'a',
    'b',
    'page',
    'host',
    'x-app-key',
    'x-signature',
    'x-signature-nonce',
    'x-signature-o',
    'x-timestamp',
  ],
  ...['x-', 'x-z', '__proto__', 'constructor', 'toString', 'length', '', '～', '😀', 'é'],
]

/** A path as it stands on a request line. */
export function drawPath(random: Random): string {
  const segments = random.list(random.integer(0, 4), () =>
    random.chance(0.7)
      ? referenceEncode(random.text(8))
      : random.pick(['../..', '.', '', 'a&b=c', "~!$'()*+,;=:@", '%zz']),
  )
  return `/${segments.join('/')}`
}

/** Decoded names and values. */
export function drawQuery(random: Random): QueryPair[] {
  return random.list(random.integer(0, 6), () => [
    random.chance(0.6) ? random.pick(NAMES) : random.text(6),
    random.chance(0.3)
      ? random.pick(['', 'a=b', 'a&b', '1', 'A'.repeat(32), '%41', ' ', '+'])
      : random.text(10),
  ])
}

export function drawHost(random: Random): string {
  const name = random.pick([
    'api.example.com',
    'h.example',
    'localhost',
    '127.0.0.1',
    '[::1]',
    'xn--e1afmkfd.example',
  ])
  return random.chance(0.4) ? `${name}:${random.integer(1, 65_535)}` : name
}

/** Empty, JSON, or any bytes. */
export function drawBody(random: Random): Uint8Array<ArrayBuffer> {
  const draw = random.next()
  if (draw < 0.3) return new Uint8Array()
  if (draw < 0.6) return new TextEncoder().encode(JSON.stringify({ token: random.text(20) }))
  return random.bytes(random.integer(0, 64))
}

/** What an attack signs with. */
export const ALGORITHMS = ['HMAC-SHA1', 'HMAC-SHA256'] as const

/** Raw target of a signed URL. */
export const targetOf = (url: string): string => url.slice(url.indexOf('/', 'https://'.length))

/** A signed request as it stands on the wire. */
export const wireOf = (
  host: string,
  { url, headers }: Pick<Signature, 'url' | 'headers'>,
  body: Uint8Array,
): WireRequest => ({
  host: new URL(`https://${host}`).host,
  target: targetOf(url),
  headers: { ...headers },
  body,
})

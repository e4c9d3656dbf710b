/**
 * Signed requests for attacks, many with names and values that are difficult in a canonical string, and
 * forgeries of these requests.
 */
import { createHash } from 'node:crypto'
import type { QueryPair, Signature } from '@brokerwire/signer'
import { HOSTILE_CHARACTERS, type Random } from '../random.ts'
import {
  referenceCanonical,
  referenceEncode,
  referenceSignature,
  splitTarget,
  type WireRequest,
} from './reference.ts'

/**
 * Names that are equal to signed headers, that are sorted between them, or that every object has as
 * properties.
 */
const NAMES: readonly string[] = [
  ...'a b page host x-app-key x-signature x-signature-nonce x-signature-o x-timestamp'.split(' '),
  ...['x-', 'x-z', '__proto__', 'constructor', 'toString', 'length', '', '～', '😀', 'é'],
]
const HOSTS = 'api.example.com h.example localhost 127.0.0.1 [::1] xn--e1afmkfd.example'.split(' ')

export const ALGORITHMS = ['HMAC-SHA1', 'HMAC-SHA256'] as const

/** Draws a path as it is in a request line. */
export function drawPath(random: Random): string {
  const odd = ['../..', '.', '', 'a&b=c', "~!$'()*+,;=:@", '%zz']
  const segment = (): string => (random.chance(0.7) ? referenceEncode(random.text(8)) : random.pick(odd))
  return `/${random.list(random.integer(0, 4), segment).join('/')}`
}

export function drawQuery(random: Random): QueryPair[] {
  const odd = ['', 'a=b', 'a&b', '1', 'A'.repeat(32), '%41', ' ', '+']
  return random.list(random.integer(0, 6), () => [
    random.chance(0.6) ? random.pick(NAMES) : random.text(6),
    random.chance(0.3) ? random.pick(odd) : random.text(10),
  ])
}

export function drawHost(random: Random): string {
  const name = random.pick(HOSTS)
  return random.chance(0.4) ? `${name}:${random.integer(1, 65_535)}` : name
}

/** Draws an empty body, JSON, or random bytes. */
export function drawBody(random: Random): Uint8Array<ArrayBuffer> {
  const draw = random.next()
  if (draw < 0.3) return new Uint8Array()
  if (draw < 0.6) return new TextEncoder().encode(JSON.stringify({ token: random.text(20) }))
  return random.bytes(random.integer(0, 64))
}

/** Draws a value of a wrong type or form. Reading some of these values throws. */
export function drawGarbage(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.pick([undefined, null, true, false, Number.NaN, 10n, '\ud83d', 'a\r\nx-injected: 1']),
    () => random.text(random.pick([12, 600])),
    () => random.integer(-5, 9),
    () => random.list(random.integer(0, 3), () => random.text(8)),
    () => random.pick([[[random.text(4), 7]], [['a', '\udc00']]]),
    () => ({ toString: () => random.text(8) }),
    () => ({ length: 3, 0: ['a', 'b'] }),
    () => Object.create(null),
    () => Symbol('garbage'),
    () => new Proxy([], {}),
    () => new Map([[random.text(4), random.text(4)]]),
    () => new Headers({ 'x-app-key': random.hex(4) }),
    () => random.bytes(8),
    () => new DataView(new ArrayBuffer(4)),
    () => new SharedArrayBuffer(4),
    () => () => random.text(4),
  ])()
}

export const targetOf = (url: string): string => url.slice(url.indexOf('/', 'https://'.length))

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

interface Draft {
  host: string
  target: string
  headers: Record<string, string>
  body: Uint8Array
}

/** A change of a request, which can use parts of the other captured requests. */
type Change = (draft: Draft, random: Random, captures: readonly WireRequest[]) => void

/** A string with one character changed, inserted or removed. */
function mutate(random: Random, text: string): string {
  const at = random.integer(0, text.length)
  const put = random.chance(0.5) ? random.pick(HOSTILE_CHARACTERS) : random.pick([...'aA0=&%+/'])
  return random.pick([
    text.slice(0, at) + put + text.slice(at),
    text.slice(0, at) + put + text.slice(at + 1),
    text.slice(0, at) + text.slice(at + 1),
  ])
}

const SIGNATURE_FORMS: readonly ((signature: string) => string)[] = [
  (text) => text.replaceAll('=', ''),
  (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  (text) => ` ${text}`,
  (text) => `${text}=`,
  (text) => Buffer.from(text, 'base64').toString('hex'),
  (text) => text.toLowerCase(),
  // Replaces the last character of the Base64 string by another one that decodes to the same bytes.
  (text) => text.replace(/[A-Za-z](?==)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
  () => '',
  () => 'undefined',
]

const digestOf = ({ headers, body }: Draft): string =>
  createHash(headers['x-signature-algorithm'] === 'HMAC-SHA256' ? 'sha256' : 'md5')
    .update(body)
    .digest('hex')
    .toUpperCase()

const retarget =
  (change: (target: string, random: Random, captures: readonly WireRequest[]) => string): Change =>
  (draft, random, captures) => {
    draft.target = change(draft.target, random, captures)
  }
const resign =
  (change: (signature: string, random: Random) => string): Change =>
  (draft, random) => {
    draft.headers['x-signature'] = change(draft.headers['x-signature'] ?? '', random)
  }

const CHANGES: readonly Change[] = [
  (draft, random) => {
    const name = random.pick(Object.keys(draft.headers))
    draft.headers[name] = mutate(random, draft.headers[name] ?? '')
  },
  (draft, random, captures) => {
    const name = random.pick(Object.keys(draft.headers))
    draft.headers[name] = random.pick(captures).headers[name] ?? ''
  },
  (draft, random) => {
    delete draft.headers[random.pick(Object.keys(draft.headers))]
  },
  resign((signature, random) => random.pick(SIGNATURE_FORMS)(signature)),
  resign((_, random) => random.bytes(random.pick([20, 32])).toString()),
  (draft) => {
    const [weak, strong] = ALGORITHMS
    draft.headers['x-signature-algorithm'] = draft.headers['x-signature-algorithm'] === weak ? strong : weak
  },
  (draft, random) => {
    draft.headers['x-signature-nonce'] = random.hex(32)
  },
  retarget((target, random) => mutate(random, target)),
  retarget((_, random, captures) => random.pick(captures).target),
  // Replaces escapes by other escapes with the same meaning, or nearly the same meaning.
  retarget((target) => target.replaceAll('%20', '+')),
  retarget((target, random) => target.replace(random.pick([/%../, /%../g]), (found) => found.toLowerCase())),
  retarget((target) => target.replace(/%26/, '&').replace(/%3D/, '=')),
  retarget((target) => target.replace(/&/, '%26')),
  retarget((target) => target.replace('?', '&')),
  // The parameters in another order, and an additional parameter.
  retarget((target, random) => {
    const [path, query] = splitTarget(target)
    return `${path}?${random.shuffle(query.split('&')).join('&')}`
  }),
  retarget((target, random) => {
    const name = random.pick(['host', 'x-app-key', 'x-signature-nonce', 'a', 'x-z'])
    return `${target}${target.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(random.text(4))}`
  }),
  // Other hosts, some of them with a parameter.
  (draft, random) => {
    const { host } = draft
    draft.host = random.pick([`${host}&a=1`, host.toUpperCase(), 'evil.example', `${host}:443`])
  },
  (draft, random, captures) => {
    draft.host = random.pick(captures).host
  },
  // The body is changed, replaced, or removed with its digest as a parameter.
  (draft, random) => {
    const changed = Uint8Array.from(draft.body)
    const at = random.integer(0, Math.max(0, changed.length - 1))
    changed[at] = (changed[at] ?? 0) ^ (1 << random.integer(0, 7))
    draft.body = changed
  },
  (draft, random, captures) => {
    draft.body = random.pick(captures).body
  },
  (draft) => {
    const [, query] = splitTarget(draft.target)
    const last = query.split('&').at(-1)?.split('=')[0] ?? 'z'
    draft.target += `${query === '' ? '?' : '&'}${last}=${digestOf(draft)}`
    draft.body = new Uint8Array()
  },
]

/**
 * Draws a forgery: changes captured requests without knowing their secrets.
 *
 * @param own - The key of the attacker.
 */
export function forge(
  random: Random,
  captures: readonly WireRequest[],
  own: { readonly secret: string },
): WireRequest {
  const capture = random.pick(captures)
  const draft: Draft = { ...capture, headers: { ...capture.headers } }
  for (let n = random.integer(1, 3); n > 0; n -= 1) random.pick(CHANGES)(draft, random, captures)
  // The attacker signs with its own secret and sends the app key of another app.
  if (random.chance(0.1)) {
    const canonical = referenceCanonical(draft)
    const algorithm = draft.headers['x-signature-algorithm'] ?? ''
    if (canonical !== undefined)
      draft.headers['x-signature'] = referenceSignature(algorithm, own.secret, canonical)
  }
  return draft
}

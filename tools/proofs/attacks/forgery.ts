/** Makes another request out of captured ones, without the secret: what an attacker on the wire would try. */
import { createHash } from 'node:crypto'
import { HOSTILE_CHARACTERS, type Random } from './random.ts'
import { referenceCanonical, referenceSignature, splitTarget, type WireRequest } from './reference.ts'

interface Draft {
  host: string
  target: string
  headers: Record<string, string>
  body: Uint8Array
}

/** One change of one request; the others are at hand to take parts from. */
type Change = (draft: Draft, random: Random, captures: readonly WireRequest[]) => void

/** A text with one character changed, put in, or taken out. */
function nudge(random: Random, text: string): string {
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
  // Other last characters decode to the same bytes.
  (text) => text.replace(/[A-Za-z](?==)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
  () => '',
  () => 'undefined',
]

const digestOf = ({ headers, body }: Draft): string =>
  createHash(headers['x-signature-algorithm'] === 'HMAC-SHA256' ? 'sha256' : 'md5')
    .update(body)
    .digest('hex')
    .toUpperCase()

const CHANGES: readonly Change[] = [
  (draft, random) => {
    const name = random.pick(Object.keys(draft.headers))
    draft.headers[name] = nudge(random, draft.headers[name] ?? '')
  },
  (draft, random, captures) => {
    const name = random.pick(Object.keys(draft.headers))
    draft.headers[name] = random.pick(captures).headers[name] ?? ''
  },
  (draft, random) => {
    delete draft.headers[random.pick(Object.keys(draft.headers))]
  },
  (draft, random) => {
    draft.headers['x-signature'] = random.pick(SIGNATURE_FORMS)(draft.headers['x-signature'] ?? '')
  },
  (draft, random) => {
    draft.headers['x-signature'] = random.bytes(random.pick([20, 32])).toString()
  },
  (draft) => {
    const stronger = draft.headers['x-signature-algorithm'] === 'HMAC-SHA1'
    draft.headers['x-signature-algorithm'] = stronger ? 'HMAC-SHA256' : 'HMAC-SHA1'
  },
  (draft, random) => {
    draft.headers['x-signature-nonce'] = random.hex(32)
  },
  (draft, random) => {
    draft.target = nudge(random, draft.target)
  },
  (draft, random, captures) => {
    draft.target = random.pick(captures).target
  },
  // Escapes that mean the same, or nearly.
  (draft) => {
    draft.target = draft.target.replaceAll('%20', '+')
  },
  (draft, random) => {
    draft.target = draft.target.replace(random.pick([/%../, /%../g]), (found) => found.toLowerCase())
  },
  (draft) => {
    draft.target = draft.target.replace(/%26/, '&').replace(/%3D/, '=')
  },
  (draft) => {
    draft.target = draft.target.replace(/&/, '%26')
  },
  (draft) => {
    draft.target = draft.target.replace('?', '&')
  },
  // Parameters in another order, and one more.
  (draft, random) => {
    const [path, query] = splitTarget(draft.target)
    draft.target = `${path}?${random.shuffle(query.split('&')).join('&')}`
  },
  (draft, random) => {
    const name = random.pick(['host', 'x-app-key', 'x-signature-nonce', 'a', 'x-z'])
    draft.target += `${draft.target.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(random.text(4))}`
  },
  // A host that takes a parameter's place.
  (draft, random) => {
    draft.host = random.pick([
      `${draft.host}&a=1`,
      draft.host.toUpperCase(),
      'evil.example',
      `${draft.host}:443`,
    ])
  },
  (draft, random, captures) => {
    draft.host = random.pick(captures).host
  },
  // The body: changed, dropped, exchanged, its digest made a parameter.
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

/** Draws a forgery. */
export function forge(
  random: Random,
  captures: readonly WireRequest[],
  own: { readonly appKey: string; readonly secret: string },
): WireRequest {
  const capture = random.pick(captures)
  const draft: Draft = { ...capture, headers: { ...capture.headers } }
  for (let n = random.integer(1, 3); n > 0; n -= 1) random.pick(CHANGES)(draft, random, captures)
  // The attacker has a key too: signs with it, in somebody else's name.
  if (random.chance(0.1)) {
    const canonical = referenceCanonical(draft)
    const algorithm = draft.headers['x-signature-algorithm'] ?? ''
    if (canonical !== undefined)
      draft.headers['x-signature'] = referenceSignature(algorithm, own.secret, canonical)
  }
  return draft
}

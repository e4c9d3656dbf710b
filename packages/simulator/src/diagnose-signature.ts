/**
 * Finds the known mistake that explains a wrong signature. The simulator has the secret, so it can sign with
 * each known mistake until the result is the received signature. Then it is known which string the client has
 * signed, and the console compares that string with the right one. If no known mistake results in the
 * received signature, nothing is found.
 *
 * The hash functions are an argument, because the workbench of the documentation runs this file in a page.
 */
import { encodeCanonical } from '@brokerwire/signer'
import { isTooDeep } from './http/json-object.ts'
import type { DiagnosedMistake, DiagnosedString } from './request-log.ts'

/** A request with a wrong signature. */
export interface InvalidSignature {
  /** The right canonical string. */
  readonly canonical: DiagnosedString
  /** Value of `x-signature-algorithm`, one of the supported ones. */
  readonly algorithm: string
  /** Value of `x-signature`. */
  readonly signature: string
  readonly secret: string
  /** The body of the request. For a stream, the serialized request message. */
  readonly body: Uint8Array | undefined
}

/** Synchronous hash functions. */
export interface DiagnosisHashes {
  /** Returns the digest in lower-case hex. */
  readonly digest: (name: 'md5' | 'sha1' | 'sha256', bytes: Uint8Array) => string
  /** Returns the HMAC of a string in Base64. */
  readonly hmac: (name: 'sha1' | 'sha256', key: string, message: string) => string
}

interface Candidate {
  readonly what: string
  readonly text: string
  readonly isEncoded?: false
  readonly key?: string
  /** Hash function of the HMAC, if it is not that of the algorithm. */
  readonly hash?: 'sha1' | 'sha256'
}

/** Bodies that are larger than this are not digested again in other forms. */
const MAX_BODY_BYTES = 65_536
/**
 * Bodies with more levels than this are not serialized again. `JSON.stringify` is recursive and would
 * overflow the stack, and the size of the indentation grows with the square of the depth.
 */
const MAX_BODY_LEVELS = 64

/** Returns the first known mistake that results in the received signature. `undefined` if there is none. */
export function diagnoseSignature(
  input: InvalidSignature,
  hashes: DiagnosisHashes,
): DiagnosedMistake | undefined {
  const { algorithm, signature, secret } = input
  const right = input.canonical.text
  const rightKey = `${secret}&`
  const rightHash = getHash(algorithm)
  const all =
    input.canonical.path === undefined ? streamMistakes(input, hashes) : requestMistakes(input, hashes)
  for (const { what, text, isEncoded = true, key = rightKey, hash = rightHash } of all) {
    // A mistake may have no effect on a request: for example, a request without a query has no query to omit.
    if (text === right && isEncoded && key === rightKey && hash === rightHash) continue
    const message = isEncoded ? encodeCanonical(text) : text
    if (hashes.hmac(hash, key, message) === signature) return { what, theirs: text }
  }
  return undefined
}

const getHash = (algorithm: string): 'sha1' | 'sha256' => (algorithm === 'HMAC-SHA256' ? 'sha256' : 'sha1')

/**
 * Yields the known mistakes in signing a stream. The canonical string of a stream has no path, is joined with
 * =, and ends with a lower-case digest.
 */
function* streamMistakes(
  { canonical, secret, body = new Uint8Array(), algorithm }: InvalidSignature,
  { digest: digested }: DiagnosisHashes,
): Generator<Candidate> {
  const { entries, text: right, digest = '' } = canonical
  const texts = entries.map(({ text }) => text)
  const join = (parts: readonly string[], of: string): string => `${parts.join('=')}&${of}`
  const hash = getHash(algorithm)

  yield { what: 'signed with the app secret alone, without the & at its end', text: right, key: secret }
  yield { what: 'signed the string without percent-encoding it', text: right, isEncoded: false }
  yield {
    what: 'signed with another algorithm than that of x-signature-algorithm',
    text: right,
    hash: hash === 'sha1' ? 'sha256' : 'sha1',
  }
  yield {
    what: 'joined the entries with &, as for an HTTP request',
    text: [...texts, digest].join('&'),
  }
  yield {
    what: 'joined the entries with & and wrote the digest in upper case, as for an HTTP request',
    text: [...texts, digest.toUpperCase()].join('&'),
  }
  yield { what: 'wrote the digest of the message in upper case', text: join(texts, digest.toUpperCase()) }
  yield { what: 'joined the digest with = as well', text: [...texts, digest].join('=') }
  yield { what: 'omitted the digest of the message', text: texts.join('=') }
  yield {
    what: 'omitted x-signature-version',
    text: join(
      entries.filter(({ name }) => name !== 'x-signature-version').map(({ text }) => text),
      digest,
    ),
  }
  yield { what: 'sorted in reverse', text: join([...texts].reverse(), digest) }
  yield { what: 'digested an empty message', text: join(texts, digested('sha256', new Uint8Array())) }
  if (body.length > MAX_BODY_BYTES) return
  yield {
    what: 'digested the message with its gRPC envelope',
    text: join(texts, digested('sha256', withEnvelope(body))),
  }
  for (const name of ['md5', 'sha1'] as const) {
    yield { what: `digested the message with ${name.toUpperCase()}`, text: join(texts, digested(name, body)) }
  }
}

/** Adds the gRPC prefix before a message: one byte for the compression flag, four bytes for the length. */
function withEnvelope(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(5 + message.length)
  new DataView(framed.buffer).setUint32(1, message.length)
  framed.set(message, 5)
  return framed
}

function* requestMistakes(
  { canonical, secret, body, algorithm }: InvalidSignature,
  hashes: DiagnosisHashes,
): Generator<Candidate> {
  const { path = '', entries, text: right, digest = '' } = canonical
  const tail = digest === '' ? [] : [digest.toUpperCase()]
  const texts = entries.map(({ text }) => text)
  const join = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('&')
  const all = (change: (entry: DiagnosedString['entries'][number]) => string | undefined): string =>
    join([path, ...entries.map((entry) => change(entry) ?? ''), ...tail])
  const values = (change: (value: string) => string): string =>
    all(({ name, text, source }) =>
      source === 'query' ? `${name}=${change(text.slice(name.length + 1))}` : text,
    )
  const headers = entries.filter(({ source }) => source !== 'query').map(({ text }) => text)
  const query = entries.filter(({ source }) => source === 'query').map(({ text }) => text)

  yield { what: 'signed with the app secret alone, without the & at its end', text: right, key: secret }
  yield { what: 'signed the string without percent-encoding it', text: right, isEncoded: false }
  yield {
    what: 'omitted the port of the host',
    text: all(({ name, text }) => (name === 'host' ? text.replace(/:\d+$/, '') : text)),
  }
  yield { what: 'omitted the query', text: join([path, ...headers, ...tail]) }
  yield { what: 'sorted the query before the headers', text: join([path, ...query, ...headers, ...tail]) }
  yield { what: 'sorted the query after the headers', text: join([path, ...headers, ...query, ...tail]) }
  yield { what: 'sorted in reverse', text: join([path, ...[...texts].reverse(), ...tail]) }
  yield { what: 'encoded the values of the query twice', text: values(encodeURIComponent) }
  yield {
    what: 'signed a + for each space in the query',
    text: values((value) => value.replaceAll(' ', '+')),
  }
  yield { what: 'omitted the host', text: all(({ name, text }) => (name === 'host' ? undefined : text)) }
  yield {
    what: 'omitted x-signature-version',
    text: all(({ name, text }) => (name === 'x-signature-version' ? undefined : text)),
  }
  yield { what: 'omitted the path', text: join([...texts, ...tail]) }
  yield { what: 'added a slash to the path', text: join([`${path}/`, ...texts, ...tail]) }
  yield { what: 'decoded the path', text: join([decodePath(path), ...texts, ...tail]) }
  if (body === undefined || body.length === 0) return
  const withDigest = (of: string): string => join([path, ...texts, of])
  yield { what: 'omitted the digest of the body', text: join([path, ...texts]) }
  yield { what: 'wrote the digest of the body in lower case', text: withDigest(digest.toLowerCase()) }
  if (body.length > MAX_BODY_BYTES) return
  const [own, other] =
    algorithm === 'HMAC-SHA256' ? (['sha256', 'md5'] as const) : (['md5', 'sha256'] as const)
  const digestOf = (name: 'md5' | 'sha256', bytes: Uint8Array): string =>
    hashes.digest(name, bytes).toUpperCase()
  yield {
    what: 'digested the body with the hash of the other algorithm',
    text: withDigest(digestOf(other, body)),
  }
  for (const [what, written] of reformattedBodies(body))
    yield { what, text: withDigest(digestOf(own, new TextEncoder().encode(written))) }
}

/** Yields the same JSON in other forms, such as those that other libraries write. */
function* reformattedBodies(body: Uint8Array): Generator<readonly [what: string, text: string]> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  yield ['digested the body with a line break after it', `${text}\n`]
  yield ['digested the body without the white space around it', text.trim()]
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return
  }
  if (isTooDeep(value, MAX_BODY_LEVELS)) return
  const compact = JSON.stringify(value)
  yield ['digested the body as compact JSON, and sent it otherwise', compact]
  yield ['digested the body as indented JSON, and sent it otherwise', JSON.stringify(value, undefined, 2)]
  const spaced = JSON.stringify(value, undefined, 1).replace(/\n\s*/g, (_, at: number, whole: string) =>
    whole[at - 1] === ',' ? ' ' : '',
  )
  yield ['digested the body as Python writes JSON, with a space after each comma and colon', spaced]
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

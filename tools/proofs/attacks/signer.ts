/**
 * The signer: hostile inputs, a polluted `Object.prototype`, and every canonical string compared with an
 * independent implementation.
 */
import {
  compare,
  createSigner,
  createVerifier,
  explain,
  fromUrl,
  isSignerError,
  type Signature,
  type SignInput,
} from '@brokerwire/signer'
import { createSyncSigner } from '@brokerwire/signer/sync'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'
import {
  referenceCanonical,
  referenceEncode,
  referenceSignature,
  referenceStreamCanonical,
} from './reference.ts'
import {
  ALGORITHMS,
  drawBody,
  drawGarbage,
  drawHost,
  drawPath,
  drawQuery,
  targetOf,
  wireOf,
} from './requests.ts'

const START_MS = Date.parse('2026-03-01T12:00:00Z')

/** Checks that canonical string, signature and URL of random requests are those of the specification. */
async function attackCanonicals(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('canonical')
  for (let attack = 0; attack < count; attack += 1) {
    const algorithm = random.pick(ALGORITHMS)
    const appSecret = random.text(40).trim() || 'secret'
    const options = {
      appKey: `key-${random.hex(4)}`,
      appSecret,
      algorithm,
      streamAlgorithm: algorithm,
      now: () => START_MS + random.integer(0, 999),
    }
    const host = drawHost(random)
    const body = drawBody(random)
    const input = { host, path: drawPath(random), query: drawQuery(random), body }
    const signed = random.chance(0.5)
      ? await createSigner(options).sign(input)
      : createSyncSigner(options).sign(input)
    context.attack('canonical strings compared')
    const wire = wireOf(host, signed, body)
    const canonical = referenceCanonical(wire)
    if (canonical !== signed.canonical) {
      context.fail(`the canonical string is not that of the specification: ${JSON.stringify(input)}`)
    } else if (referenceSignature(algorithm, appSecret, canonical) !== signed.headers['x-signature']) {
      context.fail(`the signature is not that of the specification: ${JSON.stringify(input)}`)
    }
    if (!/^\/[!"$-~]*$/.test(wire.target))
      context.fail(`a query that is invalid in a request line: ${JSON.stringify(wire.target)}`)
    const result = await createVerifier({ secretFor: () => appSecret, now: () => START_MS }).verify(wire)
    if (!result.ok) context.fail(`the verifier rejects it as ${result.rule}: ${JSON.stringify(input)}`)
    if (attack % 8 === 0)
      await attackDiagnosis(context, random, { ...input, headers: signed.headers }, signed)
    const request = drawBody(random)
    const stream = await createSigner(options).signStream(request)
    context.attack('streams compared')
    const expected = referenceStreamCanonical(stream.headers, request)
    if (
      stream.canonical !== expected ||
      stream.headers['x-signature'] !== referenceSignature(algorithm, appSecret, expected)
    ) {
      context.fail("the signature of a stream is not that of the service's official clients")
    }
  }
}

/**
 * Checks that `explain` and `compare` return correct results for a request and for a changed canonical
 * string.
 */
async function attackDiagnosis(
  context: AttackContext,
  random: Random,
  captured: Parameters<typeof explain>[0],
  { canonical }: Signature,
): Promise<void> {
  context.attack('diagnoses')
  const explained = await explain(captured)
  if (explained.canonical !== canonical) context.fail('explain does not return the string that was signed')
  const same = await compare(captured, random.chance(0.5) ? canonical : referenceEncode(canonical))
  if (!same.equal) context.fail('compare finds a difference between equal strings')
  const at = random.integer(0, canonical.length)
  const theirs = `${canonical.slice(0, at)}${random.text(5)}${canonical.slice(at + random.integer(0, 3))}`
  const difference = await compare(captured, theirs)
  if (difference.equal && decodedForms(theirs).every((form) => form !== canonical))
    context.fail(
      `compare finds no difference between different strings: ${JSON.stringify([canonical, theirs])}`,
    )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in the text
  if (/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(difference.text))
    context.fail(`the text of compare contains control characters: ${JSON.stringify(difference.text)}`)
}

/** Returns a string, and the string that results from percent-decoding it. */
function decodedForms(text: string): string[] {
  try {
    return [text, decodeURIComponent(text)]
  } catch {
    return [text]
  }
}

/**
 * Checks that hostile input gives a typed error without the secret, or a signature that can be sent in a
 * request.
 */
async function attackWithGarbage(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('garbage')
  const fields = ['host', 'path', 'query', 'body', 'scheme', 'origin']
  for (let attack = 0; attack < count; attack += 1) {
    const appSecret = `very-secret-${random.hex(16)}`
    const signer = createSigner({ appKey: 'key', appSecret, now: () => START_MS })
    const input: Record<string, unknown> = {
      host: drawHost(random),
      path: drawPath(random),
      query: drawQuery(random),
    }
    for (let n = random.integer(1, 2); n > 0; n -= 1) input[random.pick(fields)] = drawGarbage(random)
    context.attack('hostile inputs')
    try {
      const made = random.chance(0.2)
        ? fromUrl(random.pick(['', 'https://', 'https://h.example']) + random.text(12))
        : (input as unknown as SignInput)
      const { headers, url } = await signer.sign(made)
      const { origin } = made
      // The origin is the caller's own string, and not a part of the request line.
      const target = origin && url.startsWith(origin) ? url.slice(origin.length) : targetOf(url)
      for (const [name, value] of Object.entries({ ...headers, target })) {
        if (typeof value !== 'string') context.fail(`${name} is not a string`)
        else if (/[\r\n\0]/.test(value)) context.fail(`${name} has a line break`)
      }
    } catch (error) {
      if (!isSignerError(error))
        context.fail(`an error of another type: ${error instanceof Error ? error.stack : error}`)
      else if (`${error.stack}${JSON.stringify(error.details)}`.includes(appSecret))
        context.fail('an error contains the secret')
    }
  }
}

/** Values on `Object.prototype`, under names that the package reads. */
const POLLUTION: Readonly<Record<string, readonly unknown[]>> = {
  nonces: [false, { remember: () => 'new' }],
  windowMs: [86_400_000],
  rejectAmbiguous: [true],
  algorithms: [['HMAC-SHA1']],
  headerCollision: ['header-first'],
  nameOrder: ['utf-16'],
  now: [() => START_MS - 86_400_000],
  crypto: [{ digest: () => '', hmac: () => () => 'x' }],
  algorithm: ['HMAC-SHA256'],
  streamAlgorithm: ['HMAC-SHA1'],
  nonce: [() => '0'.repeat(32)],
  query: [[['admin', '1']]],
  scheme: ['http'],
  origin: ['http://evil.example'],
  body: [new TextEncoder().encode('{"evil":1}')],
  maxEntries: [1e9],
  maxEntriesPerKey: [1e9],
  'x-app-key': ['mallory'],
  'x-signature': ['x'],
}

/** Runs an action while `Object.prototype` has a value that another library may have set. */
async function withPollution(name: string, value: unknown, action: () => Promise<void>): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(Object.prototype, name)
  const polluted = { value, writable: true, enumerable: false, configurable: true }
  Object.defineProperty(Object.prototype, name, polluted)
  try {
    await action()
  } finally {
    if (before === undefined) Reflect.deleteProperty(Object.prototype, name)
    else Object.defineProperty(Object.prototype, name, before)
  }
}

/** Checks that a polluted `Object.prototype` changes neither the signature nor the result of verification. */
async function attackPrototypes(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('pollution')
  const appSecret = random.hex(16)
  for (let attack = 0; attack < count; attack += 1) {
    const name = random.pick(Object.keys(POLLUTION))
    const value = random.pick(POLLUTION[name] ?? [])
    context.attack('polluted prototypes')
    await withPollution(name, value, async () => {
      const signer = createSigner({ appKey: 'key', appSecret })
      const verifier = createVerifier({ secretFor: () => appSecret })
      const { url, headers, canonical } = await signer.sign({ host: 'h.example', path: '/p' })
      if (url !== 'https://h.example/p') context.fail(`Object.prototype.${name} changes the URL: ${url}`)
      const wire = { host: 'h.example', target: '/p', headers: { ...headers }, body: new Uint8Array() }
      if (canonical !== referenceCanonical(wire))
        context.fail(`Object.prototype.${name} changes what is signed: ${canonical}`)
      const { 'x-signature': signature, ...unsigned } = headers
      if (signature !== referenceSignature('HMAC-SHA1', appSecret, canonical))
        context.fail(`Object.prototype.${name} changes how it is signed`)
      const input = { host: 'h.example', target: '/p', headers: { ...headers } }
      const verdicts: string[] = []
      for (const tried of [{ ...input, headers: unsigned }, input, input]) {
        const result = await verifier.verify(tried)
        verdicts.push(result.ok ? 'accepted' : result.rule)
      }
      if (verdicts.join() !== 'missing-header,accepted,replay')
        context.fail(`Object.prototype.${name} changes what is accepted: ${verdicts.join(', ')}`)
    })
  }
}

export const signer: Kind = {
  name: 'signer',
  promise: 'the result is the signature that the specification defines for the input, or a typed error',
  counts: [20_000, 3000],
  async run(context) {
    await attackCanonicals(context, Math.ceil(context.total * 0.4))
    await attackWithGarbage(context, Math.ceil(context.total * 0.5))
    await attackPrototypes(context, Math.ceil(context.total * 0.1))
  },
}

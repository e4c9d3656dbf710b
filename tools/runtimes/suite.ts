/**
 * What every runtime must agree on, without a test runner: all vectors, and the properties of a signature. Runs
 * unchanged in a process, a Worker and a page.
 */
import { createHttpClient, isHttpError } from '@brokerwire/http'
import { createQuotes, isQuotesError } from '@brokerwire/quotes'
import {
  canonicalString,
  compare,
  createSigner,
  createVerifier,
  encodeCanonical,
  explain,
  type Signature,
  type SignerOptions,
  type SignInput,
  type StreamSignature,
  signRequest,
} from '@brokerwire/signer'
import published from '@brokerwire/signer/vectors.json' with { type: 'json' }
import fc from 'fast-check'
import { runWireCases } from '../../packages/http/src/test/wire-cases.ts'
import http from '../../testdata/vectors/http-signatures.json' with { type: 'json' }
import streams from '../../testdata/vectors/stream-signatures.json' with { type: 'json' }
import { decodedTexts } from './decoded.ts'
import { type QuotesSubject, type QuotesTarget, runQuotesCases } from './quotes-cases.ts'

/** Outcome of one suite. */
export interface Outcome {
  readonly passed: number
  readonly failures: readonly string[]
  /** Requests that a host sent twice, and whose error says that it may have. */
  readonly admitted?: readonly string[]
}

/** Outcomes by the suites' names. */
export type Outcomes = Readonly<
  Record<'vectors' | 'streams' | 'requests' | 'properties' | 'payloads' | 'wire' | 'quotes' | 'sync', Outcome>
>

interface Common {
  readonly appKey: string
  readonly appSecret: string
  readonly algorithm: 'HMAC-SHA1' | 'HMAC-SHA256'
  readonly timestamp: string
  readonly nonce: string
  readonly canonical: string
  readonly signature: string
}
interface HttpVector extends Common {
  readonly host: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly body: string | null
}
interface StreamVector extends Common {
  readonly requestHex: string
}

const HTTP = [
  http.documented,
  http.client,
  http.repeated,
  http.named,
  published.http,
].flat() as unknown as HttpVector[]
const STREAMS = [streams.client, streams.module, published.streams].flat() as unknown as StreamVector[]
const TIME = Date.parse('2026-03-01T12:00:00Z')

function equal(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} is not ${String(expected)}`)
}

async function collect(cases: readonly (() => Promise<void>)[]): Promise<Outcome> {
  const failures: string[] = []
  for (const [i, run] of cases.entries()) {
    await run().catch((error: unknown) => failures.push(`${i}: ${String(error)}`))
  }
  return { passed: cases.length - failures.length, failures }
}

const fixed = ({ timestamp, nonce }: Common) => ({ now: () => Date.parse(timestamp), nonce: () => nonce })

/** Signs at once, or with a promise. */
type SignerMaker = typeof createSigner | SyncSignerMaker

async function checkHttp(vector: HttpVector, make: SignerMaker = createSigner): Promise<void> {
  const { host, path, query, body } = vector
  const { appKey, appSecret, algorithm } = vector
  const signer = make({ appKey, appSecret, algorithm, ...fixed(vector) })
  const signed = await signer.sign({ host, path, query, body: body ?? undefined })
  equal(signed.canonical, vector.canonical, 'canonical string')
  equal(signed.headers['x-signature'], vector.signature, 'signature')
}

async function checkStream(vector: StreamVector, make: SignerMaker = createSigner): Promise<void> {
  const { appKey, appSecret, algorithm, requestHex } = vector
  const signer = make({ appKey, appSecret, streamAlgorithm: algorithm, ...fixed(vector) })
  const bytes = Uint8Array.from(requestHex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const signed = await signer.signStream(bytes)
  equal(signed.canonical, vector.canonical, 'canonical string')
  equal(signed.headers['x-signature'], vector.signature, 'signature')
}

/** Requests of the runtime itself, signed and verified. */
function requestCases(): readonly (() => Promise<void>)[] {
  const signer = createSigner({ appKey: 'k', appSecret: 's' })
  return ['GET', 'POST', 'PUT'].map((method) => async () => {
    const body = method === 'GET' ? undefined : '{"a":"<é😀>"}'
    const request = new Request('https://h.example/p?b=2+3&a=1', {
      method,
      ...(body === undefined ? {} : { body }),
    })
    request.headers.set('x-version', 'v3')
    const signed = await signRequest(signer, request)
    equal(signed.method, method, 'method')
    equal(signed.url, 'https://h.example/p?a=1&b=2%203', 'url')
    equal(signed.headers.get('x-version'), 'v3', 'x-version')
    const bytes = new Uint8Array(await signed.arrayBuffer())
    equal(new TextDecoder().decode(bytes), body ?? '', 'body')
    const seen = { host: 'h.example', target: '/p?a=1&b=2%203', headers: signed.headers, body: bytes }
    const result = await createVerifier({ secretFor: () => 's' }).verify(seen)
    equal(result.ok, true, 'verified')
    equal((await explain({ url: signed.url, headers: signed.headers })).path, '/p', 'explained')
  })
}

/** Properties over made-up requests. */
function propertyCases(): readonly (() => Promise<void>)[] {
  const text = fc.string({ unit: 'binary', maxLength: 12 })
  const query = fc.array(fc.tuple(text, text), { maxLength: 6 })
  const secret = fc.string({ unit: 'binary', minLength: 1, maxLength: 100 })
  const body = fc.uint8Array({ maxLength: 300 })
  const algorithm = fc.constantFrom('HMAC-SHA1' as const, 'HMAC-SHA256' as const)
  const now = (): number => TIME
  return [
    // Several at once, of many lengths: what a runtime is given for one, another must not overwrite.
    async () => {
      const signer = createSigner({ appKey: 'k', appSecret: 's' })
      const verifier = createVerifier({ secretFor: () => 's' })
      const paths = Array.from({ length: 20 }, (_, i) => `/${'p'.repeat(i * 100)}`)
      const signed = await Promise.all(paths.map((path) => signer.sign({ host: 'h', path })))
      for (const [i, { headers }] of signed.entries()) {
        const result = await verifier.verify({ host: 'h', target: paths[i] ?? '', headers })
        equal(result.ok, true, `signed at once with others: ${i}`)
      }
    },
    () =>
      fc.assert(
        fc.asyncProperty(text, async (plain) => {
          equal(decodeURIComponent(encodeCanonical(plain)), plain, 'encoding')
        }),
      ),
    () =>
      fc.assert(
        fc.asyncProperty(query, body, secret, algorithm, async (pairs, bytes, appSecret, name) => {
          const signer = createSigner({ appKey: 'k', appSecret, algorithm: name, now })
          const signed = await signer.sign({ host: 'h', path: '/p', query: pairs, body: bytes })
          const target = signed.url.slice('https://h'.length)
          const seen = { host: 'h', target, headers: signed.headers, body: bytes }
          const verifier = createVerifier({ secretFor: () => appSecret, now })
          equal((await verifier.verify(seen)).ok, true, 'round trip')
          equal((await verifier.verify(seen)).ok, false, 'replay')
        }),
      ),
    () =>
      fc.assert(
        fc.asyncProperty(query, async (pairs) => {
          const signer = createSigner({ appKey: 'k', appSecret: 's', now })
          const { canonical, headers } = await signer.sign({ host: 'h', path: '/p', query: pairs })
          const parts = {
            appKey: 'k',
            algorithm: 'HMAC-SHA1',
            host: 'h',
            path: '/p',
            query: [...pairs].reverse(),
          }
          const whole = { ...parts, nonce: headers['x-signature-nonce'], timestamp: headers['x-timestamp'] }
          equal(canonical, canonicalString(whole), 'canonical string')
          equal((await compare(canonical, encodeCanonical(canonical))).equal, true, 'comparison')
        }),
      ),
  ]
}

declare const WIRE_URL: string
declare const DECODED: readonly string[]
declare const QUOTES_TARGET: QuotesTarget

/** That payloads mean what they mean in the Node of the checkout. */
const payloadCases = (): readonly (() => Promise<void>)[] =>
  decodedTexts().map((text, at) => async () => equal(text, DECODED[at], 'decoded'))

/** That each request arrives once: see the cases. */
async function wire(): Promise<Outcome> {
  const signer = createSigner({ appKey: 'k', appSecret: 's' })
  const subject = { createHttpClient, isHttpError, signer }
  const { once, admitted, failures } = await runWireCases(subject, WIRE_URL, { everyStatus: true })
  return { passed: once, admitted, failures }
}

/** Makes a signer that answers at once, where the runtime has one. */
type SyncSignerMaker = (options: Omit<SignerOptions, 'crypto'>) => {
  sign(input: SignInput): Signature
  signStream(requestBytes: Uint8Array): StreamSignature
}

/** What a host has, beside what all have. */
export interface Host {
  readonly tcp: boolean
  /** Where it has none of its own. */
  readonly webSocket?: QuotesSubject['webSocket']
  /** Not in Workers and pages. */
  readonly createSyncSigner?: SyncSignerMaker
}

/** Runs all of it. */
export async function runSuite({ tcp, webSocket, createSyncSigner }: Host): Promise<Outcomes> {
  const quotes = { createHttpClient, createQuotes, createSigner, isQuotesError, webSocket }
  return {
    vectors: await collect(HTTP.map((vector) => () => checkHttp(vector))),
    streams: await collect(STREAMS.map((vector) => () => checkStream(vector))),
    requests: await collect(requestCases()),
    properties: await collect(propertyCases()),
    payloads: await collect(payloadCases()),
    wire: await wire(),
    quotes: await runQuotesCases(quotes, QUOTES_TARGET, tcp),
    sync: await collect(
      createSyncSigner
        ? [
            ...HTTP.map((vector) => () => checkHttp(vector, createSyncSigner)),
            ...STREAMS.map((vector) => () => checkStream(vector, createSyncSigner)),
          ]
        : [],
    ),
  }
}

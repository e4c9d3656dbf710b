/** The cases that must have the same outcome in every runtime: in a process, in a Worker and in a page. */
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
import { createSignedFetch } from '@brokerwire/signer/fetch'
import published from '@brokerwire/signer/vectors.json' with { type: 'json' }
import { type Cases, equal, type Outcome, runCases } from '@brokerwire/testing/cases'
import fc from 'fast-check'
import { runWireCases } from '../../packages/http/src/test/wire-cases.ts'
import {
  type QuotesSubject,
  type QuotesTarget,
  runQuotesCases,
} from '../../packages/quotes/src/test/runtime-cases.ts'
import http from '../../testdata/vectors/http-signatures.json' with { type: 'json' }
import streams from '../../testdata/vectors/stream-signatures.json' with { type: 'json' }
import { decodedTexts } from './decoded.ts'

export const SUITES = [
  'vectors',
  'streams',
  'requests',
  'properties',
  'payloads',
  'wire',
  'quotes',
  'sync',
  'nodeFetch',
] as const

/** Outcomes of the suites. */
export type Outcomes = Readonly<Record<(typeof SUITES)[number], Outcome>>

type Vector = Readonly<
  Record<'appKey' | 'appSecret' | 'timestamp' | 'nonce' | 'canonical' | 'signature', string>
> & { readonly algorithm: 'HMAC-SHA1' | 'HMAC-SHA256' }
type HttpVector = Vector & {
  readonly host: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly body: string | null
}
type StreamVector = Vector & { readonly requestHex: string }

const HTTP = [
  http.documented,
  http.client,
  http.repeated,
  http.named,
  published.http,
].flat() as unknown as HttpVector[]
const STREAMS = [streams.client, streams.module, published.streams].flat() as unknown as StreamVector[]
const TIME = Date.parse('2026-03-01T12:00:00Z')

const fixed = ({ timestamp, nonce }: Vector) => ({ now: () => Date.parse(timestamp), nonce: () => nonce })

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

const signer = createSigner({ appKey: 'k', appSecret: 's' })

/** Signs a `Request` of the runtime, and verifies it. */
async function checkRequest(method: string): Promise<void> {
  const body = method === 'GET' ? undefined : '{"a":"<é😀>"}'
  const request = new Request('https://h.example/p?b=2+3&a=1', {
    method,
    ...(body === undefined ? {} : { body }),
  })
  request.headers.set('x-version', 'v3')
  const signed = await signRequest(signer, request)
  equal(signed.method, method, 'method')
  equal(signed.redirect, 'manual', 'redirect')
  equal(signed.url, 'https://h.example/p?a=1&b=2%203', 'url')
  equal(signed.headers.get('x-version'), 'v3', 'x-version')
  const bytes = new Uint8Array(await signed.arrayBuffer())
  equal(new TextDecoder().decode(bytes), body ?? '', 'body')
  const seen = { host: 'h.example', target: '/p?a=1&b=2%203', headers: signed.headers, body: bytes }
  equal((await createVerifier({ secretFor: () => 's' }).verify(seen)).ok, true, 'verified')
  equal((await explain({ url: signed.url, headers: signed.headers })).path, '/p', 'explained')
}

const BODIES = ['{"a":"é"}', new Uint8Array([1, 255]), new URLSearchParams([['a', 'b c']])]

/** Sends a body through a signed `fetch`, and verifies the request that `fetch` gets. */
async function checkSignedFetch(body: string | Uint8Array<ArrayBuffer> | URLSearchParams): Promise<void> {
  let sent: Request | undefined
  async function record(input: string | Request, _init?: RequestInit): Promise<Response> {
    sent = input as Request
    return new Response('{}')
  }
  const options = { signer, origin: 'https://h.example', accessToken: 'token' }
  await createSignedFetch({ ...options, fetch: record })('https://h.example/p?b=2&a=1', {
    method: 'POST',
    body,
  })
  if (sent === undefined) throw new Error('nothing was sent')
  equal(sent.headers.get('x-access-token'), 'token', 'x-access-token')
  const bytes = new Uint8Array(await sent.arrayBuffer())
  const seen = { host: 'h.example', target: '/p?a=1&b=2', headers: sent.headers, body: bytes }
  equal((await createVerifier({ secretFor: () => 's' }).verify(seen)).ok, true, 'verified')
  const response = { status: 302, headers: { location: 'https://other.example/' } }
  const redirecting = async (_input: string): Promise<Response> => new Response(null, response)
  const error = await createSignedFetch({ signer, fetch: redirecting })('https://h.example/p').catch(
    (reason: unknown) => reason,
  )
  equal((error as { code?: unknown }).code, 'SIGNER_REDIRECTED', 'redirect')
}

const text = fc.string({ unit: 'binary', maxLength: 12 })
const query = fc.array(fc.tuple(text, text), { maxLength: 6 })
const secret = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 100 })
  .filter((text) => text.trim() === text)
const algorithms = fc.constantFrom('HMAC-SHA1' as const, 'HMAC-SHA256' as const)
const now = (): number => TIME

/** Properties that must hold for generated requests. */
const PROPERTIES: Cases = {
  async 'concurrent signatures of strings of many lengths do not affect each other'() {
    const verifier = createVerifier({ secretFor: () => 's' })
    const paths = Array.from({ length: 20 }, (_, i) => `/${'p'.repeat(i * 100)}`)
    const signed = await Promise.all(paths.map((path) => signer.sign({ host: 'h', path })))
    for (const [i, { headers }] of signed.entries())
      equal((await verifier.verify({ host: 'h', target: paths[i] ?? '', headers })).ok, true, `number ${i}`)
  },
  'an encoded text decodes': () =>
    fc.assert(
      fc.asyncProperty(text, async (plain) => {
        equal(decodeURIComponent(encodeCanonical(plain)), plain, 'encoding')
      }),
    ),
  'a signed request verifies once': () =>
    fc.assert(
      fc.asyncProperty(
        query,
        fc.uint8Array({ maxLength: 300 }),
        secret,
        algorithms,
        async (pairs, body, appSecret, algorithm) => {
          const own = createSigner({ appKey: 'k', appSecret, algorithm, now })
          const signed = await own.sign({ host: 'h', path: '/p', query: pairs, body })
          const target = signed.url.slice('https://h'.length)
          const seen = { host: 'h', target, headers: signed.headers, body }
          const verifier = createVerifier({ secretFor: () => appSecret, now })
          equal((await verifier.verify(seen)).ok, true, 'round trip')
          equal((await verifier.verify(seen)).ok, false, 'replay')
        },
      ),
    ),
  'the order of the query does not matter': () =>
    fc.assert(
      fc.asyncProperty(query, async (pairs) => {
        const own = createSigner({ appKey: 'k', appSecret: 's', now })
        const { canonical, headers } = await own.sign({ host: 'h', path: '/p', query: pairs })
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
}

declare const WIRE_URL: string
declare const DECODED: readonly string[]
declare const QUOTES_TARGET: QuotesTarget

/** Creates one case for each item of a list. */
const each = <T>(name: string, items: readonly T[], check: (item: T, at: number) => Promise<void>): Cases =>
  Object.fromEntries(items.map((item, at) => [`${name} ${at}`, () => check(item, at)]))

/** Counts how often each request arrives. Each request must arrive once. */
async function runWire(): Promise<Outcome> {
  const subject = { createHttpClient, isHttpError, signer }
  const { once, admitted, failures } = await runWireCases(subject, WIRE_URL, { everyStatus: true })
  return { passed: once, admitted, failures }
}

/**
 * The type of a function that creates a signer which returns signatures instead of promises. Some runtimes
 * have no such function.
 */
type SyncSignerMaker = (options: Omit<SignerOptions, 'crypto'>) => {
  sign(input: SignInput): Signature
  signStream(requestBytes: Uint8Array): StreamSignature
}

/** The differences between runtimes. */
export interface Host {
  readonly tcp: boolean
  /** Only for a runtime that has no WebSocket. */
  readonly webSocket?: QuotesSubject['webSocket']
  /** Missing in Workers and pages. */
  readonly createSyncSigner?: SyncSignerMaker
  /** Internals of the host that the packages rely on. Only Node has such cases. */
  readonly hostCases?: Cases
}

/** Runs all suites. */
export async function runSuites({
  tcp,
  webSocket,
  createSyncSigner: make,
  hostCases = {},
}: Host): Promise<Outcomes> {
  const quotes = { createHttpClient, createQuotes, createSigner, isQuotesError, webSocket }
  const sync = make && {
    ...each('request', HTTP, (vector) => checkHttp(vector, make)),
    ...each('stream', STREAMS, (vector) => checkStream(vector, make)),
  }
  return {
    vectors: await runCases(each('request', HTTP, (vector) => checkHttp(vector))),
    streams: await runCases(each('stream', STREAMS, (vector) => checkStream(vector))),
    requests: await runCases({
      ...each('method', ['GET', 'POST', 'PUT'], checkRequest),
      ...each('body', BODIES, checkSignedFetch),
    }),
    properties: await runCases(PROPERTIES),
    payloads: await runCases(
      each('message', decodedTexts(), async (text, at) => equal(text, DECODED[at], 'decoded')),
    ),
    wire: await runWire(),
    quotes: await runQuotesCases(quotes, QUOTES_TARGET, tcp),
    sync: await runCases(sync ?? {}),
    nodeFetch: await runCases(hostCases),
  }
}

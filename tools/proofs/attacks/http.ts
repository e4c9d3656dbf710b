/**
 * The HTTP client against a service on plain TCP that sends every status and all kinds of invalid bytes, and
 * closes connections at any byte.
 */
import type { Socket } from 'node:net'
import { Secret } from '@brokerwire/core'
import {
  createHttpClient,
  type HttpAttemptEnd,
  type HttpRequest,
  type HttpResponse,
  isHttpError,
} from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { type RawRequest, startRawHttp } from '@brokerwire/testing/raw-http'
import type { Random } from '../random.ts'
import { within } from '../wait.ts'
import type { AttackContext, Kind } from './attacks.ts'
import { type Draft, MUTATIONS, sendDraft } from './http-responses.ts'
import { referenceCanonical, referenceSignature } from './reference.ts'
import { reveals, steers } from './secrets.ts'

/** Time limit of an attempt. An attempt that gets no response ends at this limit. */
const TIMEOUT_MS = 400
const MAX_BYTES = 65_536
const HANGS_MS = 30_000
/** Number of clients that are attacked at the same time. */
const CONCURRENCY = 16

type Outcome = HttpResponse | { readonly error: unknown } | 'hangs'

/**
 * Checks an outcome. It must be a success within the limits, or a typed error whose texts contain no control
 * characters.
 */
function checkOutcome(outcome: Outcome, broken: (what: string) => void): void {
  if (outcome === 'hangs') broken(`the call does not end within ${HANGS_MS} ms`)
  else if (!('error' in outcome)) {
    if (outcome.status < 200 || outcome.status > 299) broken(`a success with status ${outcome.status}`)
    if (outcome.bytes.length > MAX_BYTES) broken(`${outcome.bytes.length} bytes were read`)
    if (outcome.headers.has('x-smuggled')) broken('a response to another request was accepted')
  } else if (!isHttpError(outcome.error)) broken(`an error of another type: ${String(outcome.error)}`)
  else {
    const { message, details } = outcome.error
    if (steers(message)) broken('a message contains control characters')
    for (const [name, value] of Object.entries(details))
      if (typeof value === 'string' && steers(value)) broken(`details.${name} steers`)
  }
}

/** Returns all texts of an outcome that a program could log. */
function loggable(outcome: Outcome): string {
  if (outcome === 'hangs' || !('error' in outcome)) return ''
  const { error } = outcome
  return error instanceof Error ? `${error.stack} ${JSON.stringify(error)}` : String(error)
}

async function attackServer(context: AttackContext, random: Random, count: number): Promise<void> {
  const redirectTarget = await startRawHttp((socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen'),
  )
  context.atEnd(() => redirectTarget.close())
  const server = await startRawHttp(() => {})
  context.atEnd(() => server.close())
  const appSecret = `app-secret-${random.hex(24)}`
  const ends: HttpAttemptEnd[] = []
  const client = createHttpClient({
    baseUrl: server.url,
    signer: createSigner({ appKey: 'attacked', appSecret }),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_BYTES,
    maxRetries: 1,
    maxRetryDelayMs: 1,
    observer: { onHttpAttemptEnd: (end) => void ends.push(end) },
  })
  const nonces = new Set<string>()

  for (let attack = 0; attack < count; attack += 1) {
    const token = random.hex(32)
    const hidden = `${random.hex(16)}+/${random.text(4)}`
    const marker = random.hex(8)
    const sorts = random.list(random.chance(0.7) ? 1 : 3, () => random.pick(Object.keys(MUTATIONS)))
    for (const sort of sorts) context.attack(sort)
    const method = random.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
    const isRead = method === 'GET' || method === 'HEAD'
    const hasBody = !isRead && random.chance(0.7)
    const retry = random.pick([undefined, 'never', 'unsent', 'always'] as const)
    const request: HttpRequest = {
      method,
      path: `/p/${random.hex(16)}`,
      query: [[random.text(4), random.text(4)]],
      accessToken: new Secret(token),
      retry,
      ...(hasBody ? { json: { refresh_token: new Secret(hidden), note: random.text(10) } } : {}),
    }
    server.answer = (socket: Socket, received: RawRequest): void => {
      const draft: Draft = {
        line: 'HTTP/1.1 200 OK',
        headers: [
          ['date', new Date().toUTCString()],
          ['location', `${redirectTarget.url}${received.target}`],
          ['content-type', 'application/json'],
        ],
        body: Buffer.from(JSON.stringify({ marker })),
        before: '',
        after: '',
        cutAt: undefined,
        ending: 'keep',
        pieces: 0,
      }
      const secrets = [...(hasBody ? [token, hidden] : [token]), received.headers['x-signature'] ?? '']
      for (const sort of sorts) MUTATIONS[sort]?.(draft, random, secrets)
      sendDraft(socket, draft)
    }
    const [requestsBefore, endsBefore] = [server.requests.length, ends.length]
    const call = client.request(request).catch((error: unknown) => ({ error }))
    const outcome = await within<Outcome>(call, HANGS_MS)
    const arrived = server.requests.slice(requestsBefore)
    // A request of an earlier attempt that timed out may arrive now. It is ignored, because its path differs.
    const own = arrived.filter(({ target }) => target.startsWith(request.path))
    const attempts = ends.slice(endsBefore)
    const broken = (what: string): void =>
      context.fail(`${method}, retry ${retry}, ${sorts.join(' and ')}: ${what}`)

    if (own.length > attempts.length)
      broken(`${own.length} requests were sent in ${attempts.length} attempts`)
    const isOnce = retry === 'never' || (retry === undefined && !isRead)
    if (isOnce && own.length > 1) broken(`${own.length} requests were sent, but only one is allowed`)
    if (redirectTarget.requests.length > 0) broken('a redirect was followed')
    for (const { target, headers, body, bytes } of arrived) {
      const canonical = referenceCanonical({ host: headers.host ?? '', target, headers, body })
      const signature = canonical && referenceSignature('HMAC-SHA1', appSecret, canonical)
      if (signature !== headers['x-signature'])
        broken('the request that was sent is not the one that was signed')
      if (bytes.includes(appSecret) || 'x-app-secret' in headers) broken('the app secret was sent')
      const nonce = headers['x-signature-nonce'] ?? ''
      if (nonces.has(nonce)) broken('a request was sent twice with the same signature')
      nonces.add(nonce)
    }
    checkOutcome(outcome, broken)
    const secrets = [appSecret, token, hidden, ...own.flatMap(({ headers }) => headers['x-signature'] ?? [])]
    const depth = sorts.includes('secrets echoed') ? 3 : 1
    for (const text of [...attempts.map((end) => JSON.stringify(end)), loggable(outcome)])
      if (secrets.some((secret) => reveals(text, secret, depth)))
        broken('an error or an event contains a secret')
  }
}

export const http: Kind = {
  name: 'http',
  promise:
    'a request is sent once, as it was signed; every response gives a success or a typed error in time, without a secret; no other server is called',
  counts: [4000, 320],
  async run(context) {
    const count = Math.ceil(context.total / CONCURRENCY)
    await Promise.all(
      Array.from({ length: CONCURRENCY }, (_, group) =>
        attackServer(context, context.random.fork(group), count),
      ),
    )
    if ('polluted' in {}) context.fail('a body polluted Object.prototype')
  },
}

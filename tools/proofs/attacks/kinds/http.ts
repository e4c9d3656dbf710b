/** The HTTP client against a service on bare TCP that says every status and every kind of garbage, and breaks off anywhere. */
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
import { type RawHttpServer, type RawRequest, startRawHttp } from '@brokerwire/testing/raw-http'
import { type Draft, sendDraft, TWISTS, type Twist } from '../http-twists.ts'
import type { AttackContext, Kind } from '../kind.ts'
import type { Random } from '../random.ts'
import { referenceCanonical, referenceSignature } from '../reference.ts'
import { steers, tells } from '../secrets.ts'
import { within } from '../within.ts'

const APP_KEY = 'attacked'
/** Of an attempt. An answer that never comes costs as much; one that a slow machine gives later is a timeout, too. */
const TIMEOUT_MS = 400
const MAX_BYTES = 65_536
/** A call that takes longer hangs. */
const HANGS_MS = 30_000
/** Worlds that run at the same time. */
const LANES = 16

/** How a call ended. */
type Settled = HttpResponse | { readonly error: unknown } | 'hangs'

/** A service, a place that redirects point at, and a client. */
class World {
  readonly #context: AttackContext
  readonly #random: Random
  readonly #server: RawHttpServer
  readonly #thief: RawHttpServer
  readonly #appSecret: string
  readonly #ends: HttpAttemptEnd[] = []
  readonly #client: ReturnType<typeof createHttpClient>
  /** Twists for the answers to come. */
  #twists: readonly Twist[] = []
  #secrets: readonly string[] = []
  #marker = ''
  readonly #nonces = new Set<string>()

  private constructor(context: AttackContext, random: Random, server: RawHttpServer, thief: RawHttpServer) {
    this.#context = context
    this.#random = random
    this.#server = server
    this.#thief = thief
    this.#appSecret = `app-secret-${random.hex(24)}`
    this.#client = createHttpClient({
      baseUrl: server.url,
      signer: createSigner({ appKey: APP_KEY, appSecret: this.#appSecret }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
      maxRepeats: 1,
      maxRepeatDelayMs: 1,
      observer: { onAttemptEnd: (end) => void this.#ends.push(end) },
    })
    server.answer = (socket, request) => this.#answer(socket, request)
  }

  static async start(context: AttackContext, random: Random): Promise<World> {
    const thief = await startRawHttp((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen'),
    )
    context.atEnd(() => thief.close())
    const server = await startRawHttp(() => {})
    context.atEnd(() => server.close())
    return new World(context, random, server, thief)
  }

  #answer(socket: Socket, request: RawRequest): void {
    const draft: Draft = {
      line: 'HTTP/1.1 200 OK',
      headers: [
        ['date', new Date().toUTCString()],
        ['location', `${this.#thief.url}${request.target}`],
        ['content-type', 'application/json'],
      ],
      body: Buffer.from(JSON.stringify({ marker: this.#marker })),
      before: '',
      after: '',
      cutAt: undefined,
      ending: 'keep',
      pieces: 0,
    }
    for (const [, apply] of this.#twists) apply(draft, this.#random, request, this.#secrets)
    sendDraft(socket, draft)
  }

  /** One request, against answers that were twisted in one way or in several. */
  async attack(): Promise<void> {
    const random = this.#random
    const token = random.hex(32)
    const hidden = `${random.hex(16)}+/${random.text(4)}`
    this.#marker = random.hex(8)
    this.#twists = random.list(random.chance(0.7) ? 1 : 3, () => random.pick(TWISTS))
    for (const [sort] of this.#twists) this.#context.attack(sort)
    const method = random.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
    const hasBody = method !== 'GET' && method !== 'HEAD' && random.chance(0.7)
    this.#secrets = hasBody ? [token, hidden] : [token]
    const repeat = random.pick([undefined, 'never', 'unsent', 'always'] as const)
    const request: HttpRequest = {
      method,
      path: `/p/${random.hex(16)}`,
      query: [[random.text(4), random.text(4)]],
      accessToken: new Secret(token),
      repeat,
      ...(hasBody ? { json: { refresh_token: new Secret(hidden), note: random.text(10) } } : {}),
    }
    const seenBefore = this.#server.requests.length
    const endsBefore = this.#ends.length
    const outcome = await this.#settle(this.#client.request(request))
    // By their path: what an attempt that timed out had sent may arrive while the next is under way.
    const arrived = this.#server.requests.slice(seenBefore)
    const seen = arrived.filter(({ target }) => target.startsWith(request.path))
    const ends = this.#ends.slice(endsBefore)
    const broken = (what: string): void => {
      const sorts = this.#twists.map(([sort]) => sort).join(' and ')
      this.#context.broken(`${method}, repeat ${repeat}, ${sorts}: ${what}`)
    }
    if (seen.length > ends.length) broken(`${seen.length} requests on the wire in ${ends.length} attempts`)
    const once = repeat === 'never' || (repeat === undefined && method !== 'GET' && method !== 'HEAD')
    if (once && seen.length > 1) broken(`${seen.length} requests on the wire, and one was allowed`)
    if (this.#thief.connections > 0) broken('a redirect was followed')
    for (const sent of arrived) {
      this.#checkSent(sent, broken)
      const nonce = sent.headers['x-signature-nonce'] ?? ''
      if (this.#nonces.has(nonce)) broken('a request was on the wire twice under one signature')
      this.#nonces.add(nonce)
    }
    this.#checkOutcome(outcome, broken)
    const signatures = seen.flatMap(({ headers }) => headers['x-signature'] ?? [])
    const secrets = [this.#appSecret, token, hidden, ...signatures]
    const depth = this.#twists.some(([sort]) => sort === 'secrets echoed') ? 3 : 1
    for (const text of [...ends.map((end) => JSON.stringify(end)), shownOf(outcome)]) {
      if (secrets.some((secret) => tells(text, secret, depth)))
        broken('an error or an observer was told a secret')
    }
  }

  async #settle(call: Promise<HttpResponse>): Promise<Settled> {
    return within(
      call.catch((error: unknown) => ({ error })),
      HANGS_MS,
    )
  }

  #checkSent({ bytes, target, headers, body }: RawRequest, broken: (what: string) => void): void {
    const canonical = referenceCanonical({ host: headers.host ?? '', target, headers, body })
    const signature = canonical && referenceSignature('HMAC-SHA1', this.#appSecret, canonical)
    if (signature !== headers['x-signature']) broken('what was sent is not what was signed')
    if (bytes.includes(this.#appSecret) || 'x-app-secret' in headers) broken('the app secret was sent')
  }

  #checkOutcome(outcome: Settled, broken: (what: string) => void): void {
    if (outcome === 'hangs') {
      broken(`no end within ${HANGS_MS} ms`)
      return
    }
    if ('error' in outcome) {
      const { error } = outcome
      if (!isHttpError(error)) {
        broken(`an error that is not the client's: ${String(error)}`)
        return
      }
      if (steers(error.message)) broken('a message that steers')
      for (const [name, value] of Object.entries(error.details)) {
        if (typeof value === 'string' && steers(value)) broken(`details.${name} steers`)
      }
      return
    }
    if (outcome.status < 200 || outcome.status > 299) broken(`a success with status ${outcome.status}`)
    if (outcome.bytes.length > MAX_BYTES) broken(`${outcome.bytes.length} bytes were read`)
    if (outcome.headers.has('x-smuggled')) broken('an answer to another question was taken')
  }
}

/** All that somebody could log of an outcome. */
function shownOf(outcome: Settled): string {
  if (outcome === 'hangs' || !('error' in outcome)) return ''
  const { error } = outcome
  return error instanceof Error ? `${error.stack} ${JSON.stringify(error)}` : String(error)
}

/** The kind. */
export const http: Kind = {
  name: 'http',
  promise:
    'one request is one on the wire, as it was signed; every answer is a success or a typed error in time, without a secret; nobody else is asked',
  counts: [4000, 320],
  async run(context) {
    const each = Math.ceil(context.count / LANES)
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        const world = await World.start(context, context.random.fork(lane))
        for (let attack = 0; attack < each; attack += 1) await world.attack()
      }),
    )
    if ('polluted' in {}) context.broken('a body polluted Object.prototype')
  },
}

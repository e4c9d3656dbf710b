/**
 * The verifier: forgeries, hostile input, replays while the clock is changed, and a key holder who fills the
 * nonce store.
 */
import {
  createInMemoryNonceStore,
  createSigner,
  createVerifier,
  type HeadersInput,
  isSignerError,
  type VerifyInput,
} from '@brokerwire/signer'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'
import {
  referenceCanonical,
  referenceQuery,
  referenceSignature,
  splitTarget,
  type WireRequest,
} from './reference.ts'
import {
  ALGORITHMS,
  drawBody,
  drawGarbage,
  drawHost,
  drawPath,
  drawQuery,
  forge,
  wireOf,
} from './requests.ts'

const WINDOW_MS = 300_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const START_MS = Date.parse('2026-03-01T12:00:00Z')

interface Holder {
  readonly appKey: string
  readonly secret: string
}

const drawHolder = (random: Random, name: string): Holder => ({
  appKey: `${name}-${random.hex(8)}`,
  secret: random.hex(32),
})

async function signed(random: Random, { appKey, secret }: Holder, nowMs: number): Promise<WireRequest> {
  const algorithm = random.pick(ALGORITHMS)
  const nonce = (): string => random.hex(32)
  const signer = createSigner({ appKey, appSecret: secret, algorithm, now: () => nowMs, nonce })
  const host = drawHost(random)
  const body = drawBody(random)
  const made = await signer.sign({ host, path: drawPath(random), query: drawQuery(random), body })
  return wireOf(host, made, body)
}

/** Returns a string that represents the meaning of a request, independent of the order of its names. */
function meaningOf({ host, target, headers, body }: WireRequest): string {
  const [path, query] = splitTarget(target)
  const pairs = [...(referenceQuery(query) ?? [])].sort(([left], [right]) =>
    left < right ? -1 : left > right ? 1 : 0,
  )
  const claims = ['x-app-key', 'x-signature-algorithm', 'x-signature-nonce', 'x-timestamp']
  const values = claims.map((name) => headers[name])
  return JSON.stringify([host, path, pairs, values, Buffer.from(body).toString('hex')])
}

/**
 * Attacks with forgeries that are made without the secret. An accepted request must have the canonical string
 * that was signed. In strict mode, only one of the requests with the same canonical string is accepted.
 */
async function attackWithForgeries(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('forgery')
  const holders = [drawHolder(random, 'alice'), drawHolder(random, 'bob')] as const
  const mallory = drawHolder(random, 'mallory')
  const all = [...holders, mallory]
  const options = {
    secretFor: (appKey: string) => all.find((holder) => holder.appKey === appKey)?.secret,
    now: () => START_MS,
    nonces: false as const,
  }
  const plain = createVerifier(options)
  const strict = createVerifier({ ...options, rejectAmbiguous: true })
  const accepts = async (verifier: typeof plain, input: VerifyInput): Promise<boolean> => {
    const result = await verifier.verify(input)
    const text = JSON.stringify(result)
    if (all.some(({ secret }) => text.includes(secret))) context.fail('a result contains a secret')
    return result.ok
  }
  let captures: WireRequest[] = []
  const strictlyAccepted = new Map<string, string>()
  for (let attack = 0; attack < count; attack += 1) {
    if (attack % 64 === 0) {
      captures = []
      for (let n = 0; n < 8; n += 1) captures.push(await signed(random, random.pick(holders), START_MS))
      strictlyAccepted.clear()
      for (const capture of captures) {
        const result = await plain.verify(capture)
        if (!result.ok) context.fail(`a valid request was rejected as ${result.rule}: ${meaningOf(capture)}`)
        const { ok } = await strict.verify(capture)
        if (ok) strictlyAccepted.set(referenceCanonical(capture) ?? '', meaningOf(capture))
      }
    }
    context.attack('forgeries')
    const forged = forge(random, captures, mallory)
    const canonical = referenceCanonical(forged)
    if (await accepts(plain, forged)) {
      const isSigned =
        canonical !== undefined && captures.some((capture) => referenceCanonical(capture) === canonical)
      if (!isSigned && forged.headers['x-app-key'] !== mallory.appKey)
        context.fail(`a forgery was accepted: ${meaningOf(forged)}`)
    }
    if (await accepts(strict, forged)) {
      const meaning = meaningOf(forged)
      const other = strictlyAccepted.get(canonical ?? '') ?? meaning
      if (other !== meaning) context.fail(`both were accepted in strict mode: ${other} and ${meaning}`)
      strictlyAccepted.set(canonical ?? '', other)
    }
  }
}

/** Returns the value of a header that occurs once, or an empty string. */
const textOf = (value: unknown): string => {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value
  return ['string', 'number', 'boolean'].includes(typeof only) ? String(only) : ''
}

/**
 * Checks that hostile input gives a rejection. Only a body or a request of the wrong type is an error of the
 * caller.
 */
async function attackWithGarbage(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('garbage')
  const { appKey, secret } = drawHolder(random, 'alice')
  const verifier = createVerifier({ secretFor: () => secret, now: () => START_MS, nonces: false })
  for (let attack = 0; attack < count; attack += 1) {
    context.attack('hostile inputs')
    const capture = await signed(random, { appKey, secret }, START_MS)
    const headers: Record<string, unknown> = { ...capture.headers }
    for (let n = random.integer(1, 3); n > 0; n -= 1)
      headers[random.chance(0.8) ? random.pick(Object.keys(headers)) : random.text(8)] = drawGarbage(random)
    const orGarbage = (value: unknown): unknown => (random.chance(0.1) ? drawGarbage(random) : value)
    const input = {
      host: orGarbage(capture.host),
      target: orGarbage(capture.target),
      headers: orGarbage(headers),
      body: orGarbage(capture.body),
    } as VerifyInput
    try {
      const { ok } = await verifier.verify(input)
      const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value)]))
      const { host, target } = input
      const body = ArrayBuffer.isView(input.body) ? input.body : new Uint8Array()
      const canonical =
        typeof host === 'string' && typeof target === 'string'
          ? referenceCanonical({ host, target, body, headers: texts })
          : undefined
      const algorithm = texts['x-signature-algorithm'] ?? ''
      const isRight =
        canonical !== undefined && referenceSignature(algorithm, secret, canonical) === texts['x-signature']
      if (ok && !isRight) context.fail('hostile input was accepted')
    } catch (error) {
      if (!isSignerError(error, 'SIGNER_INPUT_INVALID')) context.fail(`hostile input threw ${String(error)}`)
    }
  }
}

const timestampOf = ({ headers }: WireRequest): number => Date.parse(headers['x-timestamp'] ?? '')

/** Draws a change of the clock: a little forward, far forward, or back. */
const drawStep = (random: Random): number =>
  random.pick([
    random.integer(0, 1000),
    random.integer(0, WINDOW_MS),
    random.integer(0, DAY_MS),
    -random.integer(0, WINDOW_MS),
    -random.integer(0, DAY_MS),
  ])

/**
 * Sends captured requests repeatedly while the clock is changed in both directions. Each request must be
 * accepted once.
 */
async function attackWithReplays(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('replay')
  for (let left = count; left > 0; ) {
    const holders = random.list(random.integer(1, 3), () => drawHolder(random, 'holder'))
    let nowMs = START_MS
    let highestMs = nowMs
    const isSlow = random.chance(0.3)
    const small = { maxEntriesPerKey: random.integer(1, 30), maxBytes: random.integer(1024, 8192) }
    const verifier = createVerifier({
      now: () => {
        highestMs = Math.max(highestMs, nowMs)
        return nowMs
      },
      rejectAmbiguous: true,
      // A small nonce store is often full.
      nonces: createInMemoryNonceStore(random.chance(0.5) ? small : {}),
      secretFor: async (appKey) => {
        // The clock advances during a slow look-up of a key.
        if (isSlow) nowMs += random.integer(0, 20_000)
        return holders.find((holder) => holder.appKey === appKey)?.secret
      },
    })
    const captures: WireRequest[] = []
    const sent = new Set<WireRequest>()
    const accepted = new Set<WireRequest>()
    /**
     * Whether the clock was so far ahead that the nonces of this time have been deleted. In this case the
     * verifier cannot know whether it has accepted the request, and may reject it.
     */
    const isForgotten = (capture: WireRequest): boolean =>
      [...accepted].some((one) => {
        const atMs = timestampOf(one)
        return atMs + WINDOW_MS + MINUTE_MS < highestMs && timestampOf(capture) <= atMs
      })
    for (let round = random.integer(20, 200); round > 0 && left > 0; round -= 1) {
      if (random.chance(0.4)) nowMs += drawStep(random)
      if (captures.length === 0 || random.chance(0.4)) {
        // The clock of the key holder may differ within the window.
        const atMs = nowMs + random.integer(-WINDOW_MS, WINDOW_MS)
        captures.push(await signed(random, random.pick(holders), atMs))
      }
      // A group may contain the same request twice.
      const group = random.list(random.integer(1, 4), () => random.pick(captures.slice(-6)))
      const results = await Promise.all(
        group.map(async (capture) => ({ capture, result: await verifier.verify(capture) })),
      )
      for (const { capture, result } of results) {
        left -= 1
        context.attack(sent.has(capture) ? 'replays' : 'first requests')
        if (result.ok && accepted.has(capture)) context.fail('a request was accepted twice')
        if (!result.ok && result.rule === 'replay' && !sent.has(capture) && !isForgotten(capture))
          context.fail('the first copy of a request was rejected as a replay')
        if (result.ok) accepted.add(capture)
        sent.add(capture)
      }
    }
  }
}

/** Hash functions that cost no time, because this attack is about the nonce store. */
const FREE = { digest: async () => '', hmac: () => async () => 'signature' }
const FLOOD = 101_000
const CLAIMS = {
  'x-signature-algorithm': 'HMAC-SHA1',
  'x-signature-version': '1.0',
  'x-timestamp': '2026-03-01T12:00:00Z',
  'x-signature': 'signature',
}

/**
 * Sends more requests of one key holder than the nonce store has space for. Requests with other keys must
 * still be accepted.
 */
async function attackMemory({ random: source, attack, check }: AttackContext): Promise<void> {
  const random = source.fork('memory')
  const verifier = createVerifier({ secretFor: () => 'secret', now: () => START_MS, crypto: FREE })
  const send = async (appKey: string, nonce: string): Promise<string> => {
    const headers: HeadersInput = { ...CLAIMS, 'x-app-key': appKey, 'x-signature-nonce': nonce }
    const result = await verifier.verify({ host: 'h.example', target: '/', headers })
    return result.ok ? 'accepted' : result.rule
  }
  const first = random.hex(32)
  const verdict = await send('mallory', first)
  check(verdict === 'accepted', `the first request is ${verdict}`)
  let last = ''
  for (let n = 0; n < FLOOD; n += 1) last = await send('mallory', random.hex(32))
  attack('filled nonce stores')
  check(last === 'nonce-store-full', `${FLOOD} nonces of one key ended with ${last}: no bound`)
  for (const appKey of ['alice', 'bob']) {
    const other = await send(appKey, random.hex(32))
    check(other === 'accepted', `one key filled the nonce store: a request of another key is ${other}`)
  }
  check((await send('mallory', first)) !== 'accepted', 'a full nonce store deleted a nonce')
}

export const verifier: Kind = {
  name: 'verifier',
  promise:
    'only requests that the key holder signed are accepted, and each only once; one key cannot use the space of other keys in the nonce store',
  counts: [40_000, 4000],
  async run(context) {
    await attackWithForgeries(context, Math.ceil(context.total * 0.5))
    await attackWithGarbage(context, Math.ceil(context.total * 0.2))
    await attackWithReplays(context, Math.ceil(context.total * 0.3))
    await attackMemory(context)
  },
}

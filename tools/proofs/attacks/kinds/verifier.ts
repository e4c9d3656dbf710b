/** The verifier: forgeries, hostile input, replays under a clock that steps, and a holder of one key who fills the memory. */
import {
  createNonceMemory,
  createSigner,
  createVerifier,
  type HeadersInput,
  isSignerError,
  type VerifyInput,
  type VerifyResult,
} from '@brokerwire/signer'
import { forge } from '../forgery.ts'
import type { AttackContext, Kind } from '../kind.ts'
import type { Random } from '../random.ts'
import {
  referenceCanonical,
  referenceQuery,
  referenceSignature,
  splitTarget,
  type WireRequest,
} from '../reference.ts'
import { ALGORITHMS, drawBody, drawHost, drawPath, drawQuery, wireOf } from '../requests.ts'

const WINDOW_MS = 300_000
const START_MS = Date.parse('2026-03-01T12:00:00Z')

/** A key pair, and whether the attacker has it. */
interface Holder {
  readonly appKey: string
  readonly secret: string
}

const drawHolder = (random: Random, name: string): Holder => ({
  appKey: `${name}-${random.hex(8)}`,
  secret: random.hex(32),
})

/** A request that its holder signed, as it stands on the wire. */
async function signed(random: Random, { appKey, secret }: Holder, nowMs: number): Promise<WireRequest> {
  const algorithm = random.pick(ALGORITHMS)
  const signer = createSigner({
    appKey,
    appSecret: secret,
    algorithm,
    now: () => nowMs,
    nonce: () => random.hex(32),
  })
  const host = drawHost(random)
  const body = drawBody(random)
  const made = await signer.sign({ host, path: drawPath(random), query: drawQuery(random), body })
  return wireOf(host, made, body)
}

/** What a request means, whatever the order of its names: two with the same meaning are the same request. */
function meaning({ host, target, headers, body }: WireRequest): string {
  const [path, query] = splitTarget(target)
  const pairs = [...(referenceQuery(query) ?? [])].sort(([left], [right]) =>
    left < right ? -1 : left > right ? 1 : 0,
  )
  const claims = ['x-app-key', 'x-signature-algorithm', 'x-signature-nonce', 'x-timestamp'].map(
    (name) => headers[name],
  )
  return JSON.stringify([host, path, pairs, claims, Buffer.from(body).toString('hex')])
}

/** Nobody has the secret: what is accepted has the very canonical string that was signed, and strictly its meaning. */
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
  let captures: WireRequest[] = []
  /** Meanings by canonical string. */
  const strictlyAccepted = new Map<string, string>()
  for (let attack = 0; attack < count; attack += 1) {
    if (attack % 64 === 0) {
      captures = []
      for (let n = 0; n < 8; n += 1) captures.push(await signed(random, random.pick(holders), START_MS))
      strictlyAccepted.clear()
      for (const capture of captures) {
        const result = await plain.verify(capture)
        if (!result.ok) context.broken(`an honest request was refused as ${result.rule}: ${meaning(capture)}`)
        const { ok } = await strict.verify(capture)
        if (ok) strictlyAccepted.set(referenceCanonical(capture) ?? '', meaning(capture))
      }
    }
    context.attack('forgeries')
    const forged = forge(random, captures, mallory)
    const accepted = await judge(context, plain, forged, all)
    if (accepted) {
      const canonical = referenceCanonical(forged)
      const twin =
        canonical !== undefined && captures.some((capture) => referenceCanonical(capture) === canonical)
      if (!twin && forged.headers['x-app-key'] !== mallory.appKey) {
        context.broken(`a forgery was accepted: ${meaning(forged)}`)
      }
    }
    // Of two that share a canonical string at most one is accepted strictly, unless they mean the same.
    if (await judge(context, strict, forged, all)) {
      const canonical = referenceCanonical(forged) ?? ''
      const other = strictlyAccepted.get(canonical) ?? meaning(forged)
      if (other !== meaning(forged))
        context.broken(`both were accepted strictly: ${other} and ${meaning(forged)}`)
      strictlyAccepted.set(canonical, other)
    }
  }
}

/** Verifies, and looks at what the answer gives away. */
async function judge(
  context: AttackContext,
  verifier: { verify(input: VerifyInput): Promise<VerifyResult> },
  input: VerifyInput,
  holders: readonly Holder[],
): Promise<boolean> {
  const result = await verifier.verify(input)
  const told = JSON.stringify(result)
  for (const { secret } of holders) if (told.includes(secret)) context.broken('an answer holds a secret')
  return result.ok
}

/** Values that no server hands out, or only a broken one. */
function drawGarbage(random: Random): unknown {
  return random.pick<() => unknown>([
    () => undefined,
    () => null,
    () => random.text(600),
    () => random.integer(-5, 5),
    () => Number.NaN,
    () => random.chance(0.5),
    () => random.list(random.integer(0, 3), () => random.text(8)),
    () => ({ toString: () => random.text(8) }),
    () => ({ __proto__: null }),
    () => Symbol('garbage'),
    () => new Map([[random.text(4), random.text(4)]]),
    () => new Headers({ 'x-app-key': random.hex(4) }),
    () => random.bytes(8),
  ])()
}

/** Whatever comes in is refused with an answer; only a body or request that is no bytes is the caller's mistake. */
async function attackWithGarbage(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('garbage')
  const holder = drawHolder(random, 'alice')
  const verifier = createVerifier({ secretFor: () => holder.secret, now: () => START_MS, nonces: false })
  for (let attack = 0; attack < count; attack += 1) {
    context.attack('hostile inputs')
    const capture = await signed(random, holder, START_MS)
    const headers: Record<string, unknown> = { ...capture.headers }
    for (let n = random.integer(1, 3); n > 0; n -= 1) {
      headers[random.chance(0.8) ? random.pick(Object.keys(headers)) : random.text(8)] = drawGarbage(random)
    }
    const input = {
      host: random.chance(0.1) ? drawGarbage(random) : capture.host,
      target: random.chance(0.1) ? drawGarbage(random) : capture.target,
      headers: random.chance(0.1) ? drawGarbage(random) : headers,
      body: random.chance(0.1) ? drawGarbage(random) : capture.body,
    } as VerifyInput
    try {
      const { ok } = await verifier.verify(input)
      const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value)]))
      const canonical =
        typeof input.host === 'string' && typeof input.target === 'string'
          ? referenceCanonical({
              ...capture,
              host: input.host,
              target: input.target,
              body: ArrayBuffer.isView(input.body) ? input.body : new Uint8Array(),
              headers: texts,
            })
          : undefined
      const right =
        canonical !== undefined &&
        referenceSignature(texts['x-signature-algorithm'] ?? '', holder.secret, canonical) ===
          texts['x-signature']
      if (ok && !right) context.broken('hostile input was accepted')
    } catch (error) {
      if (!isSignerError(error, 'SIGNER_INPUT_INVALID'))
        context.broken(`hostile input threw ${String(error)}`)
    }
  }
}

/** One header's value, where it has one alone. */
const textOf = (value: unknown): string => {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value
  return typeof only === 'string' || typeof only === 'number' || typeof only === 'boolean' ? String(only) : ''
}

/** A captured request is sent again and again, while the clock steps in both directions: it is accepted once. */
async function attackWithReplays(context: AttackContext, count: number): Promise<void> {
  const random = context.random.fork('replay')
  let left = count
  while (left > 0) {
    const holders = random.list(random.integer(1, 3), () => drawHolder(random, 'holder'))
    let nowMs = START_MS
    let highestMs = nowMs
    const slow = random.chance(0.3)
    const verifier = createVerifier({
      now: () => {
        highestMs = Math.max(highestMs, nowMs)
        return nowMs
      },
      rejectAmbiguous: true,
      // A small memory is often full.
      nonces: createNonceMemory(
        random.chance(0.5)
          ? { maxEntriesPerKey: random.integer(1, 30), maxBytes: random.integer(1024, 8192) }
          : {},
      ),
      secretFor: async (appKey) => {
        // A look-up that takes its time: the clock goes on meanwhile.
        if (slow) nowMs += random.integer(0, 20_000)
        return holders.find((holder) => holder.appKey === appKey)?.secret
      },
    })
    const captures: WireRequest[] = []
    const sent = new Set<WireRequest>()
    const accepted = new Set<WireRequest>()
    /**
     * Whether the clock was ahead so far that what was signed with this one, or after it, is forgotten: then nobody knows
     * whether it was accepted, and a refusal is right.
     */
    const isForgotten = (capture: WireRequest): boolean =>
      [...accepted].some((one) => {
        const atMs = timestampOf(one)
        return atMs + WINDOW_MS + 60_000 < highestMs && timestampOf(capture) <= atMs
      })
    for (let round = random.integer(20, 200); round > 0 && left > 0; round -= 1) {
      if (random.chance(0.4)) nowMs += drawStep(random)
      if (captures.length === 0 || random.chance(0.4)) {
        // The holder's own clock may be off, within what is taken.
        captures.push(
          await signed(random, random.pick(holders), nowMs + random.integer(-WINDOW_MS, WINDOW_MS)),
        )
      }
      // Of two that come at the same time one is new.
      const volley = random.list(random.integer(1, 4), () => random.pick(captures.slice(-6)))
      const results = await Promise.all(volley.map((capture) => verifier.verify(capture)))
      for (const [i, capture] of volley.entries()) {
        left -= 1
        context.attack(sent.has(capture) ? 'replays' : 'first requests')
        const result = results[i] as VerifyResult
        if (result.ok && accepted.has(capture)) context.broken('a request was accepted twice')
        if (!result.ok && result.rule === 'replay' && !sent.has(capture) && !isForgotten(capture)) {
          context.broken('a request that nobody had sent before was refused as a replay')
        }
        if (result.ok) accepted.add(capture)
        sent.add(capture)
      }
    }
  }
}

const timestampOf = ({ headers }: WireRequest): number => Date.parse(headers['x-timestamp'] ?? '')

/** How a clock is set: a little on, far on, back. */
const drawStep = (random: Random): number =>
  random.pick([
    random.integer(0, 1000),
    random.integer(0, WINDOW_MS),
    random.integer(0, 86_400_000),
    -random.integer(0, WINDOW_MS),
    -random.integer(0, 86_400_000),
  ])

/** Hash functions that cost nothing: this attack is about the memory. */
const FREE = { digest: async () => '', hmac: () => async () => 'signature' }
const FLOOD = 101_000
const CLAIMS = {
  'x-signature-algorithm': 'HMAC-SHA1',
  'x-signature-version': '1.0',
  'x-timestamp': '2026-03-01T12:00:00Z',
  'x-signature': 'signature',
}

/** Who holds one key sends what the memory takes and more: everybody else is served as before. */
async function attackMemory(context: AttackContext): Promise<void> {
  const random = context.random.fork('memory')
  const verifier = createVerifier({ secretFor: () => 'secret', now: () => START_MS, crypto: FREE })
  const send = async (appKey: string, nonce: string): Promise<string> => {
    const headers: HeadersInput = { ...CLAIMS, 'x-app-key': appKey, 'x-signature-nonce': nonce }
    const result = await verifier.verify({ host: 'h.example', target: '/', headers })
    return result.ok ? 'accepted' : result.rule
  }
  const first = random.hex(32)
  const held = await send('mallory', first)
  if (held !== 'accepted') context.broken(`the first request of all is ${held}`)
  let last = ''
  for (let n = 0; n < FLOOD; n += 1) last = await send('mallory', random.hex(32))
  context.attack('fillings of the memory')
  if (last !== 'replay-store-full') context.broken(`${FLOOD} nonces of one key ended with ${last}: no bound`)
  for (const appKey of ['alice', 'bob']) {
    const verdict = await send(appKey, random.hex(32))
    if (verdict !== 'accepted')
      context.broken(`one key filled the memory: another one's request is ${verdict}`)
  }
  const again = await send('mallory', first)
  if (again === 'accepted') context.broken('a full memory forgot what it held')
}

/** The kind. */
export const verifier: Kind = {
  name: 'verifier',
  promise:
    'nothing is accepted that its key holder did not sign, and nothing twice; one key fills no memory for others',
  counts: [40_000, 4000],
  async run(context) {
    await attackWithForgeries(context, Math.ceil(context.count * 0.5))
    await attackWithGarbage(context, Math.ceil(context.count * 0.2))
    await attackWithReplays(context, Math.ceil(context.count * 0.3))
    await attackMemory(context)
  },
}

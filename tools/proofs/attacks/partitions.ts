/**
 * Access tokens on a Durable Object, in virtual time. Several isolates share the object, their networks fail,
 * and isolates are suspended. The object is the real class with its storage in memory.
 */
import { type AbortSignalLike, type Clock, Secret } from '@brokerwire/core'
import { abortable, addAbortListener, sleep } from '@brokerwire/core/internal'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createDurableObjectStore, StoreObject } from '@brokerwire/stores/durable-object'
import { behindNetwork } from '@brokerwire/testing/object-network'
import type { AccessTokenEndpoints, AccessTokenResponse, TokenCallResult } from '@brokerwire/tokens'
import { createAccessTokens, isTokensError } from '@brokerwire/tokens'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'

const SANDBOX_MS = 180_000
const PRODUCTION_MS = 86_400_000

/**
 * The time in which an isolate assumed that it had the lock, or in which its create request was in flight.
 */
interface Span {
  readonly isolate: number
  readonly fromMs: number
  toMs: number
  /**
   * Whether the isolate was suspended in this time. A suspended isolate cannot learn that it has lost the
   * lock.
   */
  wasSuspended: boolean
}

type Cluster = ReturnType<typeof createCluster>
type Isolate = Cluster['isolates'][number]

/** Creates a gate that delays actions while an isolate is suspended. */
function createGate() {
  let waiting: (() => void)[] | undefined
  return {
    get isShut() {
      return waiting !== undefined
    },
    set(isShut: boolean): void {
      const all = waiting ?? []
      waiting = isShut ? all : undefined
      if (!isShut) for (const resume of all) resume()
    },
    run(action: () => void): void {
      if (waiting === undefined) action()
      else waiting.push(action)
    },
    pass: (): Promise<void> =>
      waiting === undefined ? Promise.resolve() : new Promise((resolve) => waiting?.push(resolve)),
  }
}

const FAILED: TokenCallResult<never> = {
  ok: false,
  failure: { kind: 'no-response', error: new Error('no response') },
}

/**
 * Creates isolates. The leases of the object depend on `Date.now`, which must return the virtual time.
 *
 * @param isSandbox - Whether tokens need no second factor and expire after minutes.
 */
function createCluster(random: Random, isolateCount: number, isSandbox: boolean) {
  const clock = createVirtualClock()
  const records = new Map<string, unknown>()
  const object = new StoreObject({
    storage: {
      get: async (key) => records.get(key),
      put: async (key, value) => void records.set(key, value),
      delete: async (key) => records.delete(key),
    },
  })
  const namespaceOfObject = {
    idFromName: (name: string) => name,
    get: () => ({
      async fetch(_url: string, init: { readonly body: string }) {
        const body: unknown = JSON.parse(init.body)
        return object.fetch<Response>({ json: async () => body })
      },
    }),
  }
  const holds: Span[] = []
  const creates: Span[] = []
  const issued = new Map<string, number>()
  const answer = (token: string, status: string): TokenCallResult<AccessTokenResponse> => {
    const lifeMs = isSandbox ? SANDBOX_MS : PRODUCTION_MS
    const expiresAtMs = (issued.get(token) ?? clock.now()) + lifeMs
    return { ok: true, value: { token: new Secret(token), status, expiresAtMs } }
  }

  const open = (number: number) => {
    const gate = createGate()
    const ownClock: Clock = {
      now: clock.now,
      setTimer(callback, delayMs) {
        let isCancelled = false
        const cancel = clock.setTimer(() => gate.run(() => isCancelled || callback()), delayMs)
        return () => {
          isCancelled = true
          cancel()
        }
      },
    }
    const { namespace, network } = behindNetwork(namespaceOfObject, clock)
    const gated = {
      idFromName: namespace.idFromName,
      get(id: never) {
        const { fetch } = namespace.get(id)
        return {
          async fetch(url: string, init: { readonly method: string; readonly body: string }) {
            await gate.pass()
            try {
              return await fetch(url, init)
            } finally {
              await gate.pass()
            }
          },
        }
      },
    }
    const store = createDurableObjectStore({ namespace: gated, clock: ownClock })
    const begin = (spans: Span[]): Span => {
      const toMs = Number.POSITIVE_INFINITY
      const span = { isolate: number, fromMs: clock.now(), toMs, wasSuspended: gate.isShut }
      spans.push(span)
      return span
    }
    const lock = async (key: string, options?: { readonly signal?: AbortSignalLike | undefined }) => {
      const held = await store.lock?.(key, options)
      if (held === undefined) throw new TypeError('the store has no lock')
      const span = begin(holds)
      const end = (): void => {
        span.toMs = Math.min(span.toMs, clock.now())
      }
      if (held.lost !== undefined) addAbortListener(held.lost, end)
      return {
        lost: held.lost,
        release() {
          end()
          return held.release()
        },
      }
    }
    const takeTime = (maxMs: number, signal: AbortSignalLike | undefined): Promise<boolean> =>
      abortable(sleep(clock, random.integer(10, maxMs)), signal).then(
        () => true,
        () => false,
      )
    const endpoints: AccessTokenEndpoints = {
      async create(_input, { signal }) {
        const token = `token-${number}-${creates.length}`
        const span = begin(creates)
        const isLost = random.chance(0.2)
        const isDone = await takeTime(55_000, signal)
        span.toMs = clock.now()
        if (!isDone) return FAILED
        issued.set(token, clock.now())
        await gate.pass()
        return isLost ? FAILED : answer(token, isSandbox ? 'NORMAL' : 'PENDING')
      },
      async check(token, { signal }) {
        if (!(await takeTime(5000, signal))) return FAILED
        await gate.pass()
        const createdAtMs = issued.get(token.reveal())
        if (createdAtMs === undefined) return answer(token.reveal(), 'INVALID')
        const isVerified = isSandbox || clock.now() - createdAtMs > 20_000
        return answer(token.reveal(), isVerified ? 'NORMAL' : 'PENDING')
      },
    }
    return {
      clock: ownClock,
      network,
      store: { ...store, lock },
      endpoints,
      /** Suspends the isolate, or resumes it. On resuming, timers fire and responses arrive. */
      setSuspended(isSuspended: boolean): void {
        gate.set(isSuspended)
        if (!isSuspended) return
        for (const span of [...holds, ...creates])
          if (span.isolate === number && span.toMs === Number.POSITIVE_INFINITY) span.wasSuspended = true
      },
    }
  }
  const isolates = Array.from({ length: isolateCount }, (_, number) => open(number))
  return { clock, isolates, holds, creates, records }
}

const ISOLATES = 3
const IDENTITY = { environment: 'e', region: 'us', appKey: 'app-1', baseUrl: 'https://api.example.com' }
const RECORD = 'value access-token/e/us/app-1/https%3A%2F%2Fapi.example.com'
/**
 * Number of faults in one cluster. Each fault takes up to 90 seconds of virtual time, and all faults have
 * ended before the final check.
 */
const FAULTS_IN_A_CLUSTER = 12

type Network = Partial<Isolate['network']>
interface Fault {
  begin(isolate: Isolate, random: Random): void
  end(isolate: Isolate): void
}

const networkFault = (draw: (random: Random) => Network, well: Network): Fault => ({
  begin: ({ network }, random) => void Object.assign(network, draw(random)),
  end: ({ network }) => void Object.assign(network, well),
})
const longDelay = (random: Random): number => random.integer(1, 40_000)

const FAULTS: Readonly<Record<string, Fault>> = {
  'requests lost': networkFault(() => ({ requests: 'lost' }), { requests: 'arrive' }),
  'requests without a response': networkFault(() => ({ requests: 'silent' }), { requests: 'arrive' }),
  'responses lost': networkFault(() => ({ answers: 'lost' }), { answers: 'arrive' }),
  'responses that are never sent': networkFault(() => ({ answers: 'silent' }), { answers: 'arrive' }),
  'requests late': networkFault((random) => ({ requestDelayMs: longDelay(random) }), { requestDelayMs: 0 }),
  'late responses': networkFault((random) => ({ answerDelayMs: longDelay(random) }), { answerDelayMs: 0 }),
  'isolate suspended': {
    begin: (isolate) => isolate.setSuspended(true),
    end: (isolate) => isolate.setSuspended(false),
  },
}

/**
 * Finds a span that overlaps a span of another isolate. Spans in which an isolate was suspended are ignored.
 */
function overlap(spans: readonly Span[]): Span | undefined {
  const running = spans.filter(({ wasSuspended }) => !wasSuspended)
  return running.find(({ isolate, fromMs }) =>
    running.some((other) => other.isolate !== isolate && other.fromMs <= fromMs && fromMs < other.toMs),
  )
}

function tokensOf({ records }: Cluster): string[] {
  const text = records.get(RECORD)
  if (typeof text !== 'string') return []
  const { current, pending } = JSON.parse(text) as Record<string, { readonly token: string } | undefined>
  return [current, pending].flatMap((held) => (held === undefined ? [] : [held.token]))
}

async function attackCluster({ attack, fail }: AttackContext, random: Random): Promise<void> {
  const isSandbox = random.chance(0.5)
  const cluster = createCluster(random, ISOLATES, isSandbox)
  const { clock, isolates, holds, creates } = cluster
  Date.now = clock.now
  const opened = isolates.map(({ endpoints, store, clock: own }) =>
    createAccessTokens({
      endpoints,
      store,
      identity: IDENTITY,
      clock: own,
      secondFactor: !isSandbox,
      renewBeforeMs: 0,
    }),
  )
  let isOver = false
  const asking = opened.map(async (tokens, number) => {
    while (!isOver) {
      const ask = random.chance(0.2) ? tokens.renew : tokens.get
      const error = await ask({ wait: random.chance(0.5) }).catch((caught: unknown) => caught)
      if (error instanceof Error && !isTokensError(error))
        fail(`isolate ${number} threw an error of another type: ${error.stack}`)
      await new Promise<void>((resolve) => clock.setTimer(resolve, random.integer(1000, 20_000)))
    }
  })
  /** Tokens that were stored, in order. A replaced token must not be stored again. */
  const seen: string[] = []
  const advance = async (ms: number): Promise<void> => {
    for (let restMs = ms; restMs > 0; restMs -= 1000) {
      await clock.advance(Math.min(1000, restMs))
      for (const token of tokensOf(cluster)) {
        const at = seen.lastIndexOf(token)
        if (at !== -1 && at < seen.length - 2) fail(`${token} is stored again`)
        if (at === -1) seen.push(token)
      }
    }
  }
  for (let n = 0; n < FAULTS_IN_A_CLUSTER; n += 1) {
    const sort = random.pick(Object.keys(FAULTS))
    const isolate = random.pick(isolates)
    attack(sort)
    FAULTS[sort]?.begin(isolate, random)
    await advance(random.integer(500, 90_000))
    if (random.chance(0.7)) FAULTS[sort]?.end(isolate)
  }
  for (const isolate of isolates) for (const fault of Object.values(FAULTS)) fault.end(isolate)
  // Long enough for five minutes after a create with an unknown outcome, five minutes for its poll, and the
  // duration of a lease.
  await advance(1_500_000)
  isOver = true
  const final = opened.map((tokens) => tokens.get().catch((error: unknown) => error))
  await advance(700_000)
  const got = new Set(
    (await Promise.all(final)).map((result) =>
      isTokensError(result) ? result.code : (result as { token: { reveal(): string } }).token.reveal(),
    ),
  )
  const texts = [...got].join(', ')
  if (got.size !== 1) fail(`the isolates have different tokens after the faults: ${texts}`)
  if (!texts.startsWith('token-')) fail(`no token after the faults: ${texts}`)
  await advance(100_000)
  await Promise.all(asking)
  const held = overlap(holds)
  const heldMs = (held?.fromMs ?? 0) - (holds[0]?.fromMs ?? 0)
  if (held !== undefined) fail(`two isolates held the lock at ${heldMs} ms, and neither was suspended`)
  if (overlap(creates) !== undefined) fail('two creates were in flight, and neither isolate was suspended')
  await Promise.all(opened.map((tokens) => tokens.close()))
  if (clock.pendingTimers > 0) fail(`${clock.pendingTimers} timers are left`)
}

export const partitions: Kind = {
  name: 'partitions',
  promise:
    'on a Durable Object at most one isolate holds the lock and at most one create is in flight, however the network fails; a suspended isolate replaces no token; and all isolates have the same token afterwards',
  counts: [2400, 240],
  async run(context) {
    const realNow = Date.now
    try {
      for (let n = 0; n < Math.ceil(context.total / FAULTS_IN_A_CLUSTER); n += 1)
        await attackCluster(context, context.random.fork(`cluster ${n}`))
    } finally {
      Date.now = realNow
    }
  },
}

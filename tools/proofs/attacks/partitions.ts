/** Access tokens on a Durable Object while networks are cut, answers come late, and isolates are suspended. */
import { createAccessTokens, isTokensError } from '@brokerwire/tokens'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'
import { type Cluster, createCluster, type Isolate, type Span } from './isolates.ts'

const ISOLATES = 3
const KEY = { environment: 'e', region: 'us', appKey: 'app-1' }
const RECORD = 'value access-token/e/us/app-1'
/** Faults in one cluster, each of up to a minute and a half; then all of them end. */
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
  'requests without an answer': networkFault(() => ({ requests: 'silent' }), { requests: 'arrive' }),
  'answers lost': networkFault(() => ({ answers: 'lost' }), { answers: 'arrive' }),
  'answers that never come': networkFault(() => ({ answers: 'silent' }), { answers: 'arrive' }),
  'requests late': networkFault((random) => ({ requestDelayMs: longDelay(random) }), { requestDelayMs: 0 }),
  'answers late': networkFault((random) => ({ answerDelayMs: longDelay(random) }), { answerDelayMs: 0 }),
  'isolate suspended': {
    begin: (isolate) => isolate.setSuspended(true),
    end: (isolate) => isolate.setSuspended(false),
  },
}

/** A span that overlaps another one of another isolate, of which neither was suspended. */
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

async function attackCluster({ attack, broken }: AttackContext, random: Random): Promise<void> {
  const isSandbox = random.chance(0.5)
  const cluster = createCluster(random, ISOLATES, isSandbox)
  const { clock, isolates, holds, creates } = cluster
  Date.now = clock.now
  const opened = isolates.map(({ api, store, clock: own }) =>
    createAccessTokens({ api, store, key: KEY, clock: own, secondFactor: !isSandbox, renewBeforeMs: 0 }),
  )
  let isOver = false
  const asking = opened.map(async (tokens, number) => {
    while (!isOver) {
      const ask = random.chance(0.2) ? tokens.renew : tokens.get
      const error = await ask({ wait: random.chance(0.5) }).catch((caught: unknown) => caught)
      if (error instanceof Error && !isTokensError(error))
        broken(`isolate ${number} threw an error of another type: ${error.stack}`)
      await new Promise<void>((resolve) => clock.setTimer(resolve, random.integer(1000, 20_000)))
    }
  })
  /** Tokens that were stored. A replaced one must not be stored again. */
  const seen: string[] = []
  const advance = async (ms: number): Promise<void> => {
    for (let restMs = ms; restMs > 0; restMs -= 1000) {
      await clock.advance(Math.min(1000, restMs))
      for (const token of tokensOf(cluster)) {
        const at = seen.lastIndexOf(token)
        if (at !== -1 && at < seen.length - 2) broken(`${token} is stored again`)
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
  // Five minutes for a create with an unknown outcome, five for its poll, and a lease.
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
  if (got.size !== 1) broken(`the isolates have different tokens after the faults: ${texts}`)
  if (!texts.startsWith('token-')) broken(`no token after the faults: ${texts}`)
  await advance(100_000)
  await Promise.all(asking)
  const held = overlap(holds)
  const heldMs = (held?.fromMs ?? 0) - (holds[0]?.fromMs ?? 0)
  if (held !== undefined) broken(`two held the lock at ${heldMs} ms, and neither was suspended`)
  if (overlap(creates) !== undefined) broken('two creates were in flight, and neither isolate was suspended')
  await Promise.all(opened.map((tokens) => tokens.close()))
  if (clock.pendingTimers > 0) broken(`${clock.pendingTimers} timers are left`)
}

export const partitions: Kind = {
  name: 'partitions',
  promise:
    'on a Durable Object one isolate holds the lock and one create is in flight, whatever the network does; a suspended isolate replaces no token; and all have one token afterwards',
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

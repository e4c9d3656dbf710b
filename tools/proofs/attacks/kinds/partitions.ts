/** Access tokens on a Durable Object while networks are cut, answers come late, and isolates are stopped as a whole. */
import { createAccessTokens, isTokensError } from '@brokerwire/tokens'
import type { AttackContext, Kind } from '../kind.ts'
import { createWorld, type Isolate, type World } from '../partitioned.ts'
import type { Random } from '../random.ts'

const ISOLATES = 3
const KEY = { environment: 'e', region: 'us', appKey: 'app-1' }
const RECORD = 'value access-token/e/us/app-1'
/** Cuts and stops in one world, each of up to a minute and a half; then everything is well again. */
const EVENTS = 12

interface Trouble {
  readonly sort: string
  begin(isolate: Isolate, random: Random): void
  end(isolate: Isolate): void
}

/** A setting of the network that is put out of order and back. */
function networkTrouble(
  sort: string,
  draw: (random: Random) => Partial<Isolate['network']>,
  well: Partial<Isolate['network']>,
): Trouble {
  return {
    sort,
    begin: ({ network }, random) => Object.assign(network, draw(random)),
    end: ({ network }) => Object.assign(network, well),
  }
}

const longDelay = (random: Random): number => random.integer(1, 40_000)

/** What may go wrong, and what sets it right again. */
const TROUBLES: readonly Trouble[] = [
  networkTrouble('requests lost', () => ({ requests: 'lost' }), { requests: 'arrive' }),
  networkTrouble('requests never answered', () => ({ requests: 'silent' }), { requests: 'arrive' }),
  networkTrouble('answers lost', () => ({ answers: 'lost' }), { answers: 'arrive' }),
  networkTrouble('answers that never come', () => ({ answers: 'silent' }), { answers: 'arrive' }),
  networkTrouble('requests late', (random) => ({ requestDelayMs: longDelay(random) }), { requestDelayMs: 0 }),
  networkTrouble('answers late', (random) => ({ answerDelayMs: longDelay(random) }), { answerDelayMs: 0 }),
  {
    sort: 'stopped as a whole',
    begin: (isolate) => isolate.setStopped(true),
    end: (isolate) => isolate.setStopped(false),
  },
]

interface Span {
  readonly isolate: number
  readonly fromMs: number
  readonly toMs: number
  readonly wasStopped: boolean
}

/** Two at once, of which neither was stopped: that is what must not be. */
function overlap(spans: readonly Span[]): Span | undefined {
  const running = spans.filter(({ wasStopped }) => !wasStopped)
  return running.find((span) =>
    running.some(
      (other) =>
        other !== span &&
        other.isolate !== span.isolate &&
        other.fromMs <= span.fromMs &&
        span.fromMs < other.toMs,
    ),
  )
}

function tokensOf(world: World): string[] {
  const text = world.records.get(RECORD)
  if (typeof text !== 'string') return []
  const { current, pending } = JSON.parse(text) as Record<string, { readonly token: string } | undefined>
  return [current, pending].flatMap((held) => (held === undefined ? [] : [held.token]))
}

async function attackWorld(context: AttackContext, random: Random): Promise<void> {
  const isSandbox = random.chance(0.5)
  const world = createWorld(random, ISOLATES, isSandbox)
  const { clock, isolates, holds, creates } = world
  const realNow = Date.now
  Date.now = clock.now
  try {
    const opened = isolates.map(({ api, store, clock: own }) =>
      createAccessTokens({ api, store, key: KEY, clock: own, secondFactor: !isSandbox, renewBeforeMs: 0 }),
    )
    let isOver = false
    const asking = opened.map(async (tokens, number) => {
      while (!isOver) {
        const ask = random.chance(0.2) ? tokens.renew : tokens.get
        const error = await ask({ wait: random.chance(0.5) }).catch((caught: unknown) => caught)
        if (error instanceof Error && !isTokensError(error))
          context.broken(`isolate ${number} threw an error that is not the package's: ${error.stack}`)
        await new Promise<void>((resolve) => clock.setTimer(resolve, random.integer(1000, 20_000)))
      }
    })
    /** Tokens that were in the store: one that was replaced there does not come back. */
    const seen: string[] = []
    const look = (): void => {
      for (const token of tokensOf(world)) {
        const at = seen.lastIndexOf(token)
        if (at !== -1 && at < seen.length - 2) context.broken(`${token} is in the store again`)
        if (at === -1) seen.push(token)
      }
    }
    const pass = async (ms: number): Promise<void> => {
      for (let restMs = ms; restMs > 0; restMs -= 1000) {
        await clock.advance(Math.min(1000, restMs))
        look()
      }
    }
    for (let event = 0; event < EVENTS; event += 1) {
      const trouble = random.pick(TROUBLES)
      const isolate = random.pick(isolates)
      context.attack(trouble.sort)
      trouble.begin(isolate, random)
      await pass(random.integer(500, 90_000))
      if (random.chance(0.7)) trouble.end(isolate)
    }
    for (const isolate of isolates) for (const trouble of TROUBLES) trouble.end(isolate)
    // Five minutes for a create whose outcome is not known, as much for its poll, and a lease.
    await pass(1_500_000)
    isOver = true
    const final = opened.map((tokens) => tokens.get().catch((error: unknown) => error))
    await pass(700_000)
    const got = new Set(
      (await Promise.all(final)).map((result) =>
        isTokensError(result) ? result.code : (result as { token: { reveal(): string } }).token.reveal(),
      ),
    )
    if (got.size !== 1) context.broken(`they have different tokens when all is well: ${[...got].join(', ')}`)
    if (![...got][0]?.startsWith('token-'))
      context.broken(`no token when all is well: ${[...got].join(', ')}`)
    await pass(100_000)
    await Promise.all(asking)
    const twoHold = overlap(holds)
    if (twoHold !== undefined)
      context.broken(
        `two hold the lock at ${twoHold.fromMs - (holds[0]?.fromMs ?? 0)} ms, and neither was stopped`,
      )
    const twoCreate = overlap(creates)
    if (twoCreate !== undefined) context.broken('two creates in flight, and neither isolate was stopped')
    await Promise.all(opened.map((tokens) => tokens.close()))
    if (clock.pendingTimers > 0) context.broken(`${clock.pendingTimers} timers are left behind`)
  } finally {
    Date.now = realNow
  }
}

/** The kind. */
export const partitions: Kind = {
  name: 'partitions',
  promise:
    'on a Durable Object one isolate holds the lock and one create is in flight, whatever the network does; one that was stopped as a whole replaces no token; and all have one token when it is over',
  counts: [2400, 240],
  async run(context) {
    const worlds = Math.ceil(context.count / EVENTS)
    for (let world = 0; world < worlds; world += 1)
      await attackWorld(context, context.random.fork(`world ${world}`))
  },
}

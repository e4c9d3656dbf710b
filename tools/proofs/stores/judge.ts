/**
 * What eight processes may have done with a token while some of them were killed and their store failed: decided from their
 * traces and the service's own record of creates. Pure, so that tests show that it finds what is wrong.
 *
 * All instants are nanoseconds of the clock that the processes of a machine share.
 */
import type { Step } from '../../../packages/client/src/test/token-workers.ts'

/** A token that a worker was given, by its digest. */
export interface Read {
  readonly worker: number
  readonly fromNs: bigint
  readonly toNs: bigint
  readonly token: string
}

/** What is known of a round. */
export interface Evidence {
  readonly trace: readonly Step[]
  /** When each create arrived, as the service recorded it, in whole milliseconds that were rounded down. */
  readonly arrivalsNs: readonly bigint[]
  readonly reads: readonly Read[]
  /** When a token was asked to be replaced: a create after one that was saved is then meant. */
  readonly renewalsNs: readonly bigint[]
  /** When the clocks of all were set on by five minutes. */
  readonly jumpsNs: readonly bigint[]
}

/** What was found. */
export interface Judgement {
  readonly broken: readonly string[]
  /** Creates whose sender was killed, or lost its lock, before its token was saved. */
  readonly extraCreates: number
  /** Overlaps of a process that was kept from running, which nothing can tell of its loss. */
  readonly excused: number
}

/** From what a worker began to what ended it. */
interface Span {
  readonly worker: number
  readonly fromNs: bigint
  readonly toNs: bigint
  readonly end: string
}

/** The service's clock has no more. */
const MILLISECOND_NS = 1_000_000n
/** What a process had sent when it was killed arrives all the same, a little later. */
const GRACE_NS = 1000n * MILLISECOND_NS
/** The page on tokens: a create in place of one whose sender was killed begins so much later. */
const TAKE_OVER_NS = 2000n * MILLISECOND_NS
const NEVER_NS = 1n << 62n

function spansOf(trace: readonly Step[], begin: string, ends: readonly string[]): Span[] {
  return trace
    .filter(({ name }) => name === begin)
    .map(({ worker, atNs: fromNs }) => {
      const [end] = trace
        .filter((step) => step.worker === worker && step.atNs >= fromNs && ends.includes(step.name))
        .sort((one, other) => (one.atNs < other.atNs ? -1 : 1))
      return { worker, fromNs, toNs: end?.atNs ?? NEVER_NS, end: end?.name ?? 'never' }
    })
    .sort((one, other) => (one.fromNs < other.fromNs ? -1 : 1))
}

/** Whether a worker was kept from running while another began: it could not be told. */
function wasStalled(trace: readonly Step[], { worker, fromNs }: Span, untilNs: bigint): boolean {
  return spansOf(trace, 'stall-began', ['stalled']).some(
    (stall) => stall.worker === worker && stall.toNs > fromNs && stall.fromNs < untilNs,
  )
}

/** What begins before the one before it has ended. */
function overlaps(spans: readonly Span[]): (readonly [Span, Span])[] {
  const found: [Span, Span][] = []
  for (const [at, later] of spans.entries())
    for (const earlier of spans.slice(0, at)) if (earlier.toNs > later.fromNs) found.push([earlier, later])
  return found
}

/** Which process sent what arrived. Each span is one create at most. */
function joined(
  sent: readonly Span[],
  arrivalsNs: readonly bigint[],
  broken: string[],
): readonly (Span & { readonly arrivedNs: bigint })[] {
  const left = new Set(sent)
  const creates: (Span & { readonly arrivedNs: bigint })[] = []
  for (const arrivedNs of [...arrivalsNs].sort((one, other) => (one < other ? -1 : 1))) {
    const span = [...left].find(
      ({ fromNs, toNs }) => fromNs < arrivedNs + MILLISECOND_NS && arrivedNs < toNs + GRACE_NS,
    )
    if (span === undefined) {
      broken.push('a create arrived that no process was sending')
      continue
    }
    left.delete(span)
    creates.push({ ...span, arrivedNs })
  }
  if ([...left].some(({ end }) => end === 'create-answered'))
    broken.push('a create was answered that never arrived')
  return creates
}

/** A token that some process was given after another had been given the next one. */
function returns(reads: readonly Read[]): boolean {
  const bounds = new Map<string, { firstNs: bigint; lastNs: bigint }>()
  for (const { token, fromNs, toNs } of reads) {
    const bound = bounds.get(token) ?? { firstNs: toNs, lastNs: fromNs }
    if (toNs < bound.firstNs) bound.firstNs = toNs
    if (fromNs > bound.lastNs) bound.lastNs = fromNs
    bounds.set(token, bound)
  }
  const all = [...bounds.values()]
  return all.some((one, at) =>
    all.slice(0, at).some((other) => one.firstNs < other.lastNs && other.firstNs < one.lastNs),
  )
}

/** Looks at all that a round left. */
export function judge({ trace, arrivalsNs, reads, renewalsNs, jumpsNs }: Evidence): Judgement {
  const broken: string[] = []
  let excused = 0
  const refuse = ([earlier, later]: readonly [Span, Span], what: string): void => {
    if (wasStalled(trace, earlier, later.fromNs)) excused += 1
    else broken.push(`${what}: workers ${earlier.worker} and ${later.worker}`)
  }

  const held = spansOf(trace, 'locked', ['releasing', 'lost', 'killed'])
  for (const pair of overlaps(held)) refuse(pair, 'two held the lock')

  const sent = spansOf(trace, 'create-sending', ['create-answered', 'create-failed', 'killed'])
  const creates = joined(sent, arrivalsNs, broken)
  const inFlight = creates.map((create) => ({ ...create, fromNs: create.arrivedNs }))
  for (const pair of overlaps(inFlight)) refuse(pair, 'two creates were in flight')

  const did = (name: string, worker: number, fromNs: bigint, toNs: bigint): boolean =>
    trace.some(
      (step) => step.name === name && step.worker === worker && step.atNs >= fromNs && step.atNs <= toNs,
    )
  const between = (instants: readonly bigint[], fromNs: bigint, toNs: bigint): boolean =>
    instants.some((atNs) => fromNs <= atNs && atNs <= toNs)
  let extraCreates = 0
  for (const [at, next] of creates.slice(1).entries()) {
    const create = creates[at]
    if (create === undefined || between(renewalsNs, create.fromNs, next.fromNs)) continue
    extraCreates += 1
    const is = (name: string): boolean => did(name, create.worker, create.fromNs, next.arrivedNs)
    const hasJumped = between(jumpsNs, create.fromNs, next.fromNs)
    if (is('saved')) broken.push('a create followed one whose token was saved')
    else if (create.end === 'create-failed' && !hasJumped && !is('lost'))
      broken.push('a create followed one whose outcome was not known')
    else if (create.end === 'create-answered' && !is('killed') && !is('lost'))
      broken.push('a create followed one whose sender lived and had the lock')
    const hold = [...held]
      .reverse()
      .find(
        ({ worker, fromNs, toNs }) =>
          worker === create.worker && fromNs <= create.fromNs && create.fromNs <= toNs,
      )
    if (is('killed') && !hasJumped && hold !== undefined && next.fromNs - hold.fromNs < TAKE_OVER_NS)
      broken.push('a create followed that of a killed process within two seconds')
  }

  if (returns(reads)) broken.push('a token came back that another had replaced')
  return { broken, extraCreates, excused }
}

/**
 * Verifies the actions of eight processes that share a token while some of them are killed and their store
 * fails. The input is their traces and the create requests that the service recorded. All times are
 * nanoseconds of the clock that all processes of a machine share.
 */
import type { Step } from '../../../packages/client/src/test/token-workers.ts'

/** A token that a worker received, identified by its digest. */
export interface Read {
  readonly worker: number
  readonly fromNs: bigint
  readonly toNs: bigint
  readonly token: string
}

export interface Evidence {
  readonly trace: readonly Step[]
  /** Arrivals of create requests. The service records whole milliseconds, rounded down. */
  readonly arrivalsNs: readonly bigint[]
  readonly reads: readonly Read[]
  /** Times at which renewals were requested. A create request after such a time is intended. */
  readonly renewalsNs: readonly bigint[]
  /** Times at which all clocks jumped by five minutes. */
  readonly jumpsNs: readonly bigint[]
}

export interface Verdict {
  readonly broken: readonly string[]
  /**
   * Number of create requests that follow a create request whose sender was killed, or lost its lock, before
   * it saved the token.
   */
  readonly extraCreates: number
  /**
   * Number of overlaps in which a process was stalled. A stalled process cannot learn that it has lost the
   * lock.
   */
  readonly excused: number
}

/** The time from a worker's step to the step that ends it. */
interface Span {
  readonly worker: number
  readonly fromNs: bigint
  readonly toNs: bigint
  readonly end: string
}

/** Resolution of the service's clock. */
const MILLISECOND_NS = 1_000_000n
/** The time in which a request of a killed process may still arrive. */
const GRACE_NS = 1000n * MILLISECOND_NS
const NEVER_NS = 1n << 62n
const TOO_SOON = 'a create followed another one within five minutes'

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

function overlaps(spans: readonly Span[]): (readonly [earlier: Span, later: Span])[] {
  return spans.flatMap((later, at) =>
    spans
      .slice(0, at)
      .filter(({ toNs }) => toNs > later.fromNs)
      .map((earlier) => [earlier, later] as const),
  )
}

/** Assigns each arrival to the process that sent the request. */
function assign(sent: readonly Span[], arrivalsNs: readonly bigint[], broken: string[]) {
  const left = new Set(sent)
  const creates: (Span & { readonly arrivedNs: bigint })[] = []
  for (const arrivedNs of [...arrivalsNs].sort((one, other) => (one < other ? -1 : 1))) {
    const span = [...left].find(
      ({ fromNs, toNs }) => fromNs < arrivedNs + MILLISECOND_NS && arrivedNs < toNs + GRACE_NS,
    )
    if (span === undefined) broken.push('a create arrived that no process was sending')
    else {
      left.delete(span)
      creates.push({ ...span, arrivedNs })
    }
  }
  if ([...left].some(({ end }) => end === 'create-answered'))
    broken.push('a create got a response but never arrived')
  return creates
}

/** Whether a process received a token after another process had received the next token. */
function goesBack(reads: readonly Read[]): boolean {
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

export function verify({ trace, arrivalsNs, reads, renewalsNs, jumpsNs }: Evidence): Verdict {
  const broken: string[] = []
  let excused = 0
  const stalls = spansOf(trace, 'stall-began', ['stalled'])
  const rejectOverlaps = (spans: readonly Span[], what: string): void => {
    for (const [earlier, later] of overlaps(spans)) {
      const wasStalled = stalls.some(
        ({ worker, fromNs, toNs }) =>
          worker === earlier.worker && toNs > earlier.fromNs && fromNs < later.fromNs,
      )
      if (wasStalled) excused += 1
      else broken.push(`${what}: workers ${earlier.worker} and ${later.worker}`)
    }
  }

  const holds = spansOf(trace, 'locked', ['releasing', 'lost', 'killed'])
  rejectOverlaps(holds, 'two workers held the lock')
  const sent = spansOf(trace, 'create-sending', ['create-answered', 'create-failed', 'killed'])
  const creates = assign(sent, arrivalsNs, broken)
  rejectOverlaps(
    creates.map((create) => ({ ...create, fromNs: create.arrivedNs })),
    'two creates were in flight',
  )

  const between = (instants: readonly bigint[], fromNs: bigint, toNs: bigint): boolean =>
    instants.some((atNs) => fromNs <= atNs && atNs <= toNs)
  let extraCreates = 0
  for (const [at, next] of creates.slice(1).entries()) {
    const create = creates[at]
    if (create === undefined) continue
    if (!between(jumpsNs, create.fromNs, next.fromNs)) broken.push(TOO_SOON)
    if (between(renewalsNs, create.fromNs, next.fromNs)) continue
    extraCreates += 1
    const steps = trace.filter(
      ({ worker, atNs }) => worker === create.worker && create.fromNs <= atNs && atNs <= next.arrivedNs,
    )
    const did = (step: string): boolean => steps.some(({ name }) => name === step)
    if (did('saved')) broken.push('a create followed one whose token was saved')
    else if (create.end === 'create-answered' && !did('killed') && !did('lost'))
      broken.push('a create followed one whose sender was alive and had the lock')
  }
  if (goesBack(reads)) broken.push('a process read a token that another token had replaced')
  return { broken, extraCreates, excused }
}

/**
 * Checks what eight processes did with a token while some of them were killed and their store failed. The input is their traces and
 * the creates that the service recorded. All times are nanoseconds of the clock that the processes of a machine share.
 */
import type { Step } from '../../../packages/client/src/test/token-workers.ts'

/** A token that a worker received, by its digest. */
export interface Read {
  readonly worker: number
  readonly fromNs: bigint
  readonly toNs: bigint
  readonly token: string
}

export interface Evidence {
  readonly trace: readonly Step[]
  /** Arrivals of creates, which the service records in whole milliseconds, rounded down. */
  readonly arrivalsNs: readonly bigint[]
  readonly reads: readonly Read[]
  /** Requested renewals: a create after one is intended. */
  readonly renewalsNs: readonly bigint[]
  /** Jumps of all clocks by five minutes. */
  readonly jumpsNs: readonly bigint[]
}

export interface Verdict {
  readonly broken: readonly string[]
  /** Creates whose sender was killed, or lost its lock, before the token was saved. */
  readonly extraCreates: number
  /** Overlaps of a process that did not run, which nothing can inform of its loss. */
  readonly excused: number
}

/** From a worker's step to the step that ends it. */
interface Span {
  readonly worker: number
  readonly fromNs: bigint
  readonly toNs: bigint
  readonly end: string
}

/** Resolution of the service's clock. */
const MILLISECOND_NS = 1_000_000n
/** A request of a killed process may still arrive within this time. */
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

/** Assigns each arrival to the process that sent it. */
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
    broken.push('a create was answered that never arrived')
  return creates
}

/** Whether some process received a token after another process had received the next one. */
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
  rejectOverlaps(holds, 'two held the lock')
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
  if (goesBack(reads)) broken.push('a token came back that another had replaced')
  return { broken, extraCreates, excused }
}

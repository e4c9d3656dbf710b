/**
 * Runs the option `backfill` of a stream: a hook that counts missed events, or a backfill that adds states.
 *
 * A backfill of states has one run at a time. Nothing is requested or added while the consumer's queue is
 * full.
 */
import type { BackfillGap, BackfillResult, Clock, StateItem } from '@brokerwire/core'
import { throwIfAborted } from '@brokerwire/core/internal'
import type { CompletenessTracker } from './completeness/completeness-tracker.ts'
import type { BackfillHook, TradeStreamBackfill } from './context.ts'
import type { ItemOutput } from './delivery/item-output.ts'

/** The option `backfill` of a stream. */
export type Backfill = BackfillHook | TradeStreamBackfill<StateItem>

/** The parts of a stream that its backfill uses. */
export interface BackfillContext {
  readonly backfill: Backfill | undefined
  readonly accounts: readonly string[]
  readonly clock: Clock
  readonly output: Pick<ItemOutput<never>, 'notify' | 'state'>
  readonly queue: { readonly full: boolean; drained(signal: AbortSignal): Promise<void> }
  readonly completeness: Pick<CompletenessTracker, 'currentOffsetMs' | 'receivedUntil'>
  /** Returns the gap before the present subscription. */
  readonly lastGap: () => BackfillGap | undefined
}

/** Starts a run. The signal aborts when the connection or the stream ends. */
export type RunBackfill = (cause: 'subscribed' | 'timer', signal: AbortSignal) => void

/** Creates the function that starts runs. Errors of a hook count as no result. */
export function createBackfillRunner(context: BackfillContext): RunBackfill {
  const { backfill } = context
  if (backfill === undefined) return () => {}
  if (typeof backfill === 'function')
    return (cause, signal) => void count(context, backfill, cause, signal).catch(() => {})
  let running: Promise<void> | undefined
  return (cause, signal) => {
    // The run after a connect covers more than a run by the timer.
    if (running !== undefined && cause === 'timer') return
    const previous = running
    const run = (async () => {
      await previous
      if (!signal.aborted) await addStates(context, backfill, cause, signal)
    })().finally(() => {
      if (running === run) running = undefined
    })
    running = run
  }
}

async function count(
  { queue, output, clock }: BackfillContext,
  hook: BackfillHook,
  cause: 'subscribed' | 'timer',
  signal: AbortSignal,
): Promise<void> {
  const missing = await hook({ cause, signal })
  // While the queue is full, no notice is added. Otherwise the notices of the timer would accumulate if the
  // consumer does not read.
  if (missing === undefined || missing <= 0 || signal.aborted || queue.full) return
  output.notify({ type: 'notice', kind: 'missed-events', atMs: clock.now(), missing })
}

/** Never rejects. */
async function addStates(
  { accounts, clock, output, queue, completeness, lastGap }: BackfillContext,
  backfill: TradeStreamBackfill<StateItem>,
  cause: 'subscribed' | 'timer',
  signal: AbortSignal,
): Promise<void> {
  const run = {
    cause,
    accounts,
    gap: cause === 'subscribed' ? lastGap() : undefined,
    clockOffsetMs: completeness.currentOffsetMs,
    receivedUntilMs: completeness.receivedUntil.serviceMs,
    signal,
    async ready() {
      await queue.drained(signal)
      throwIfAborted(signal)
    },
    deliver: (state: StateItem) => output.state(state),
  }
  const { missing, problems } = await backfill.run(run).catch(failedRun)
  const atMs = clock.now()
  if (missing > 0) output.notify({ type: 'notice', kind: 'missed-events', atMs, missing })
  if (problems.length > 0 && !signal.aborted)
    output.notify({ type: 'notice', kind: 'backfill-incomplete', atMs, problems })
}

/** Reports a run that rejected, because of a bug in the backfill or an abort. */
function failedRun(): BackfillResult {
  const problem = { code: 'BACKFILL_FAILED', accountId: '', operation: undefined }
  return { missing: 0, problems: [problem] }
}

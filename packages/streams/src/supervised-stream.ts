/**
 * Joins the three parts of a stream: attempts at a subscription, the supervision that begins them and reads, and the
 * delivery that makes items of what was read.
 */
import type { ReconcileHook, StreamsContext } from './context.ts'
import type { Delivery, EventFields, Outlet } from './delivery/delivery.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import type { StreamNotice } from './items/notices.ts'
import { outcomeError } from './outcome-error.ts'
import type { Attempts } from './subscription/attempt.ts'
import { type RunningSupervisor, runSupervisor } from './supervisor/runner.ts'

/** What a stream with cursors does beside delivering. */
export interface CursorKeeping<Item> {
  /** Before the first attempt. */
  prepare(signal: AbortSignal): Promise<void>
  /** A subscription stands: its notice was given. */
  subscribed(atMs: number): void
  cursorsRefused(): void
  /** The consumer asked for more, so this item was handled. */
  handled(item: Item): void
  /** After the end: writes what is to be kept. */
  finish(): Promise<void>
}

/** The parts. */
export interface StreamParts<Frame, Item extends EventFields> {
  readonly context: StreamsContext
  readonly outlet: Outlet<Item>
  readonly delivery: Delivery<Frame>
  readonly attempts: Attempts<Frame>
  readonly cursors?: CursorKeeping<Item | StreamNotice> | undefined
  readonly reconcile: ReconcileHook | undefined
  readonly signal: AbortSignal | undefined
}

/** Makes the stream. Nothing happens before its first `next()`. */
export function superviseStream<Frame, Item extends EventFields>(
  parts: StreamParts<Frame, Item>,
): EventStream<Item | StreamNotice> {
  const { context, outlet, cursors } = parts
  const { clock } = context
  const { queue, report } = outlet
  const preparing = new AbortController()
  let supervisor: RunningSupervisor | undefined
  let releaseSlot: ((nowMs: number) => void) | undefined

  const stop = (): void => {
    preparing.abort()
    supervisor?.stop()
    releaseSlot?.(clock.now())
  }
  outlet.fail = (error) => {
    queue.close({ error })
    stop()
  }

  const reconcile = async (cause: 'subscribed' | 'timer', signal: AbortSignal): Promise<void> => {
    const missing = await parts.reconcile?.({ cause, signal })
    // A consumer who does not read would only pile up notices.
    if (missing !== undefined && missing > 0 && !signal.aborted && !queue.full) {
      outlet.notify({ type: 'notice', kind: 'suspect-silent', atMs: clock.now(), missing })
    }
  }

  const run = (): void => {
    supervisor = runSupervisor<Frame>({
      policy: context.policy,
      clock,
      random: context.random,
      attempts: parts.attempts,
      delivery: parts.delivery,
      queue,
      notify(notice) {
        outlet.notify(notice)
        if (notice.kind === 'subscribed') cursors?.subscribed(notice.atMs)
      },
      settle: (atMs) => outlet.settle(atMs),
      forgetCursors: () => cursors?.cursorsRefused(),
      reconcile: (cause, signal) => void reconcile(cause, signal).catch(() => {}),
      recentDropMs: () => context.budget.lastReleaseMs,
      onAttempt: (attempt) => report('onAttempt', { attempt }),
      onState: ({ phase }) => report('onState', { phase }),
      onEnd(outcome) {
        const error = outcomeError(outcome)
        queue.close(error === undefined ? undefined : { error })
        releaseSlot?.(clock.now())
      },
      fail: (error) => outlet.fail(error),
    })
    // An observer that aborts at the very start finds no supervisor to stop yet.
    if (preparing.signal.aborted) supervisor.stop()
  }

  const prepareAndRun = async (): Promise<void> => {
    const { signal } = preparing
    try {
      await cursors?.prepare(signal)
    } catch (error) {
      if (!signal.aborted) outlet.fail(error)
    }
    if (!signal.aborted) run()
  }

  return createEventStream(
    {
      queue,
      start() {
        releaseSlot = context.budget.take()
        void prepareAndRun()
      },
      stop,
      finish: async () => cursors?.finish(),
      handled: cursors && ((item) => cursors.handled(item)),
    },
    parts.signal,
    context.openStreams,
  )
}

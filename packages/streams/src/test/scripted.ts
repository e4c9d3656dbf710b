/** A supervisor on virtual time with scripted attempts: each attempt waits until the test decides its result. */
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createSubscriptionBudget, type SubscriptionBudget } from '../budget.ts'
import type { CompleteUntil } from '../completeness/completeness.ts'
import { type FrameClass, isDelivered } from '../items/frame-class.ts'
import type { StreamNotice } from '../items/notices.ts'
import type { OpenCall } from '../subscription/subscription-dialer.ts'
import type { CallFailure, SupervisorEffect, SupervisorOutcome } from '../supervisor/machine-types.ts'
import { readPolicy, type SupervisionOptions } from '../supervisor/policy.ts'
import type { GrpcStatus } from '../supervisor/status.ts'
import { Supervisor, type SupervisorPorts } from '../supervisor/supervisor.ts'
import { MessageBatch, notesFor } from '../transport/message-batch.ts'

/** A frame of the script. */
export interface ScriptFrame {
  readonly frame: FrameClass
  readonly id?: number | undefined
  readonly serverTimeMs?: number | undefined
}

/** A frame, a failure, or neither, which is the end of the stream. */
type Signal = { readonly frame?: ScriptFrame; readonly status?: GrpcStatus }

/** An attempt that a test controls. */
export interface ScriptedAttempt {
  readonly attempt: number
  readonly signal: AbortSignal
  /** Lets `dial` succeed. */
  accept(): void
  frame(frame: FrameClass, more?: Omit<ScriptFrame, 'frame'>): void
  end(): void
  fail(status: GrpcStatus): void
}

const decoder = {
  decode: (): ScriptFrame => ({ frame: 'unknown' }),
  texts: { idStart: 0, idEnd: 0 },
  extraBytes: () => 0,
}

const failed = (status: GrpcStatus): CallFailure => ({ status })

/** A supervisor that a test controls. */
export interface Script {
  readonly clock: VirtualClock
  readonly budget: SubscriptionBudget
  readonly attempts: ScriptedAttempt[]
  readonly notices: StreamNotice[]
  readonly delivered: ScriptFrame[]
  /** The subscriptions, and the frames received on live ones. */
  readonly lives: Extract<SupervisorEffect, { readonly type: 'live' }>[]
  readonly received: CompleteUntil[]
  readonly outcomes: SupervisorOutcome[]
  /** Times at which batches were taken. */
  readonly settled: number[]
  readonly supervisor: Supervisor<ScriptFrame>
  /** The last attempt. */
  attempt(): ScriptedAttempt
  /** Sets whether the queue is full. */
  setFull(full: boolean): void
}

/** Starts a supervisor. */
export function startScript(
  options: SupervisionOptions = {},
  recoverAuth: SupervisorPorts<ScriptFrame>['dialer']['recoverAuth'] = async () => ({ retry: true }),
  fail: SupervisorPorts<ScriptFrame>['fail'] = (error) => {
    throw error
  },
): Script {
  const clock = createVirtualClock()
  const attempts: ScriptedAttempt[] = []
  const notices: StreamNotice[] = []
  const delivered: ScriptFrame[] = []
  const lives: Script['lives'] = []
  const received: CompleteUntil[] = []
  const outcomes: SupervisorOutcome[] = []
  const settled: number[] = []
  let full = false
  let attempt = 0
  const waiters = new Set<() => void>()
  const aborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

  const dial: SupervisorPorts<ScriptFrame>['dialer']['dial'] = (_attempt, signal, onSend) => {
    attempt += 1
    const inbox: Signal[] = []
    const over = aborted(signal)
    let wake: (() => void) | undefined
    const put = (item: Signal): void => {
      inbox.push(item)
      wake?.()
    }
    /** Takes the available frames, up to the first failure or end. */
    const next = async (maxFrames: number): Promise<MessageBatch<ScriptFrame>> => {
      while (inbox.length === 0 && !signal.aborted) {
        const woken = new Promise<void>((ready) => {
          wake = ready
        })
        await Promise.race([woken, over])
      }
      const batch = new MessageBatch<ScriptFrame>(decoder, notesFor(0))
      while (batch.messages.length < maxFrames && inbox[0]?.frame !== undefined) {
        batch.messages.push(inbox.shift()?.frame as ScriptFrame)
      }
      if (batch.messages.length > 0 || signal.aborted) return batch
      const end = inbox.shift()
      if (end?.status !== undefined) throw end.status
      return batch
    }
    return new Promise<OpenCall<ScriptFrame> | CallFailure>((resolve) => {
      void over.then(() => resolve(failed('cancelled')))
      attempts.push({
        attempt,
        signal,
        accept: () => {
          onSend({ tokenSent: false, cursorSent: false })
          resolve({ next, toCallFailure: (status) => failed(status as GrpcStatus) })
        },
        frame: (frame, more) => put({ frame: { frame, ...more } }),
        end: () => put({}),
        fail: (status) => {
          resolve(failed(status))
          put({ status })
        },
      })
    })
  }

  const budget = createSubscriptionBudget()
  const supervisor = new Supervisor<ScriptFrame>({
    policy: readPolicy(options),
    clock,
    random: () => 0.5,
    budget,
    dialer: { origin: undefined, dial, recoverAuth, withholdToken: () => {} },
    handler: {
      frameReader: { classify: ({ frame }) => frame, serverTimeMs: ({ serverTimeMs }) => serverTimeMs },
      take: ({ messages }, from, to) =>
        void delivered.push(...messages.slice(from, to).filter(({ frame }) => isDelivered(frame))),
      flush: () => {},
      onLive: (effect) => lives.push(effect),
    },
    completeness: {
      onFrames: (frame) => received.push(frame),
      receivedUntil: { serviceMs: undefined, hostMs: 0 },
    },
    queue: {
      get full() {
        return full
      },
      size: 0,
      capacity: { frames: 1000, bytes: 1000 },
      drainedWithinTurn: async () => !full,
      drained: (signal) =>
        Promise.race([new Promise<void>((resolve) => waiters.add(resolve)), aborted(signal)]),
    },
    output: { notify: (notice) => notices.push(notice), undecodable: () => {} },
    statistics: { flush: (atMs) => settled.push(atMs) },
    report: () => {},
    fail,
    backfill: () => {},
    onEnd: (outcome) => outcomes.push(outcome),
  })
  supervisor.start()
  return {
    clock,
    budget,
    attempts,
    notices,
    delivered,
    lives,
    received,
    outcomes,
    settled,
    supervisor,
    attempt() {
      const last = attempts.at(-1)
      if (last === undefined) throw new Error('no attempt yet')
      return last
    },
    setFull(next) {
      full = next
      if (full) return
      for (const resolve of waiters) resolve()
      waiters.clear()
    },
  }
}

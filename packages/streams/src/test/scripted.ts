/**
 * A supervisor on virtual time over scripted sessions: each attempt waits until the test says what happens.
 */
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import type { StreamNotice } from '../items/notices.ts'
import type { FrameClass, SupervisorEffect, SupervisorOutcome } from '../supervisor/machine-types.ts'
import { readPolicy, type SupervisionOptions } from '../supervisor/policy.ts'
import {
  type FrameFacts,
  type RunningSupervisor,
  runSupervisor,
  type SupervisorPorts,
} from '../supervisor/runner.ts'
import type { GrpcStatus } from '../supervisor/status.ts'

/** A frame of the script. */
export interface ScriptFrame {
  readonly frame: FrameClass
  readonly id?: number | undefined
  readonly serverMs?: number | undefined
}

type Signal = { readonly done: boolean; readonly frame?: ScriptFrame; readonly status?: GrpcStatus }

/** One attempt. */
export interface ScriptSession {
  readonly attempt: number
  readonly signal: AbortSignal
  /** Lets `open` succeed. */
  accept(): void
  frame(frame: FrameClass, more?: Omit<ScriptFrame, 'frame'>): void
  end(): void
  fail(status: GrpcStatus): void
}

/** Thrown by a session that fails. */
class ScriptFailure extends Error {
  readonly status: GrpcStatus

  constructor(status: GrpcStatus) {
    super(status)
    this.status = status
  }
}

/** A supervisor under the test's hand. */
export interface Script {
  readonly clock: VirtualClock
  readonly sessions: ScriptSession[]
  readonly notices: StreamNotice[]
  readonly delivered: ScriptFrame[]
  readonly cameBack: Extract<SupervisorEffect, { readonly type: 'came-back' }>[]
  readonly outcomes: SupervisorOutcome[]
  readonly supervisor: RunningSupervisor
  /** The last attempt. */
  session(): ScriptSession
  /** Makes the consumer slow, or quick again. */
  setFull(full: boolean): void
}

/** Starts one. */
export function startScript(
  options: SupervisionOptions = {},
  change: Partial<SupervisorPorts<ScriptFrame>> = {},
): Script {
  const clock = createVirtualClock()
  const sessions: ScriptSession[] = []
  const notices: StreamNotice[] = []
  const delivered: ScriptFrame[] = []
  const cameBack: Script['cameBack'] = []
  const outcomes: SupervisorOutcome[] = []
  let full = false
  let waiters: (() => void)[] = []

  const supervisor = runSupervisor<ScriptFrame>({
    policy: readPolicy(options),
    clock,
    random: () => 0.5,
    open: ({ attempt, signal, onSend }) => {
      const inbox: Signal[] = []
      let wake: (() => void) | undefined
      const put = (item: Signal): void => {
        inbox.push(item)
        wake?.()
      }
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        signal.addEventListener('abort', () => wake?.(), { once: true })
        const next = async (): Promise<IteratorResult<ScriptFrame, unknown>> => {
          while (inbox.length === 0 && !signal.aborted) {
            await new Promise<void>((ready) => {
              wake = ready
            })
          }
          if (signal.aborted) throw signal.reason
          const item = inbox.shift()
          if (item?.status !== undefined) throw new ScriptFailure(item.status)
          return item?.frame === undefined
            ? { done: true, value: undefined }
            : { done: false, value: item.frame }
        }
        sessions.push({
          attempt,
          signal,
          accept: () => {
            onSend({ tokenSent: false, cursorSent: false })
            resolve({ next })
          },
          frame: (frame, more) => put({ done: false, frame: { frame, ...more } }),
          end: () => put({ done: true }),
          fail: (status) => {
            reject(new ScriptFailure(status))
            put({ done: true, status })
          },
        })
      })
    },
    inspect: ({ frame, serverMs }): FrameFacts => ({ frame, serverMs, connectionId: undefined }),
    deliver: (frame) => delivered.push(frame),
    describeFailure: (error) => ({
      status: error instanceof ScriptFailure ? error.status : 'unknown',
      serverMessage: undefined,
    }),
    isFull: () => full,
    room: (signal) =>
      new Promise((resolve, reject) => {
        if (!full) return resolve()
        waiters.push(resolve)
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
    notify: (notice) => notices.push(notice),
    cameBack: (effect) => cameBack.push(effect),
    forgetCursors: () => {},
    recover: async () => true,
    reconcile: () => {},
    recentDropMs: () => undefined,
    onState: () => {},
    onEnd: (outcome) => outcomes.push(outcome),
    ...change,
  })
  return {
    clock,
    sessions,
    notices,
    delivered,
    cameBack,
    outcomes,
    supervisor,
    session() {
      const last = sessions.at(-1)
      if (last === undefined) throw new Error('no attempt yet')
      return last
    },
    setFull(next) {
      full = next
      if (!full) for (const resolve of waiters.splice(0)) resolve()
      waiters = []
    },
  }
}

/**
 * Carries out what the supervisor's machine decides, through ports.
 *
 * Reading is pulled: while the consumer's queue is full nothing is read, and HTTP/2's flow control holds the service
 * back. An abandoned session is cancelled at once and its number is out of date, so whatever it still says is ignored.
 */
import { type Clock, unreachable } from '@brokerwire/core'
import type { StreamNotice } from '../items/notices.ts'
import type { RpcFailure } from '../subscription/failure.ts'
import type {
  FrameClass,
  SupervisorEffect,
  SupervisorEvent,
  SupervisorOutcome,
  SupervisorState,
  SupervisorTimer,
} from './machine-types.ts'
import type { SupervisorPolicy } from './policy.ts'
import { initialSupervisorState, supervisorTransition } from './transition.ts'

/** What the supervisor needs to know of a frame. */
export interface FrameFacts {
  readonly frame: FrameClass
  readonly serverMs: number | undefined
  readonly connectionId: string | undefined
}

/** A subscription that is open. */
export interface OpenFrames<Frame> {
  next(): Promise<IteratorResult<Frame, unknown>>
}

/** Thrown by an opener that could not make the request. */
export interface NotSent {
  readonly notSent: 'signature' | 'access-token'
  readonly retryable: boolean
}

/** The world of a supervisor. */
export interface SupervisorPorts<Frame> {
  readonly policy: SupervisorPolicy
  readonly clock: Clock
  /** From 0 up to but not including 1. */
  readonly random: () => number
  /** Opens one subscription. The signal cancels it, also after it was opened. */
  open(attempt: {
    readonly attempt: number
    readonly signal: AbortSignal
    readonly onSend: (sent: { readonly tokenSent: boolean; readonly cursorSent: boolean }) => void
  }): Promise<OpenFrames<Frame>>
  readonly inspect: (frame: Frame) => FrameFacts
  /** Takes every frame that is not a known control frame. `nowMs`: when it came, to the supervisor too. */
  readonly deliver: (frame: Frame, nowMs: number) => void
  readonly describeFailure: (error: unknown) => RpcFailure | NotSent
  /** Whether nothing more may be read. */
  readonly isFull: () => boolean
  readonly room: (signal: AbortSignal) => Promise<void>
  readonly notify: (notice: StreamNotice) => void
  readonly cameBack: (effect: Extract<SupervisorEffect, { readonly type: 'came-back' }>) => void
  readonly forgetCursors: () => void
  /** @returns Whether a further attempt makes sense. */
  readonly recover: (
    mode: 'clock' | 'token',
    serverMs: number | undefined,
    signal: AbortSignal,
  ) => Promise<boolean>
  readonly reconcile: (cause: 'subscribed' | 'timer', signal: AbortSignal) => void
  readonly recentDropMs: () => number | undefined
  readonly onState: (state: SupervisorState) => void
  readonly onEnd: (outcome: SupervisorOutcome) => void
}

/** A supervisor at work. */
export interface RunningSupervisor {
  /** Cancels everything at once. Harmless when called again. */
  stop(): void
}

type EventInput = SupervisorEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'at' | 'draw'> & { readonly at?: number }
    : never
  : never

/** Starts a supervisor. */
export function runSupervisor<Frame>(ports: SupervisorPorts<Frame>): RunningSupervisor {
  let state = initialSupervisorState(ports.policy)
  let connection: AbortController | undefined
  let recovery: AbortController | undefined
  const timers = new Map<SupervisorTimer, () => void>()
  const inbox: EventInput[] = []
  let busy = false

  /** Effects may cause further events: those wait their turn. */
  const dispatch = (input: EventInput): void => {
    inbox.push(input)
    if (busy) return
    busy = true
    try {
      for (let next = inbox.shift(); next !== undefined; next = inbox.shift()) {
        const at = next.at ?? ports.clock.now()
        const event = Object.assign(next, { at, draw: ports.random() }) as SupervisorEvent
        const [nextState, effects] = supervisorTransition(state, event)
        const moved = nextState.phase !== state.phase
        state = nextState
        if (moved) ports.onState(state)
        for (const effect of effects) perform(effect)
      }
    } finally {
      busy = false
    }
  }

  const disarm = (timer: SupervisorTimer): void => {
    timers.get(timer)?.()
    timers.delete(timer)
  }

  const perform = (effect: SupervisorEffect): void => {
    switch (effect.type) {
      case 'open':
        connection = new AbortController()
        void runSession(effect.session, connection.signal)
        return
      case 'close':
        connection?.abort()
        recovery?.abort()
        return
      case 'arm': {
        const { timer } = effect
        disarm(timer)
        const fire = (): void => {
          timers.delete(timer)
          dispatch({ type: 'timer', timer })
        }
        timers.set(timer, ports.clock.setTimer(fire, effect.delayMs))
        return
      }
      case 'disarm':
        disarm(effect.timer)
        return
      case 'notify':
        ports.notify(effect.notice)
        return
      case 'came-back':
        ports.cameBack(effect)
        return
      case 'forget-cursors':
        ports.forgetCursors()
        return
      case 'recover':
        recovery = new AbortController()
        void recover(effect.session, effect.mode, effect.serverMs, recovery.signal)
        return
      case 'reconcile':
        if (connection !== undefined) ports.reconcile(effect.cause, connection.signal)
        return
      case 'end':
        ports.onEnd(effect.outcome)
        return
      default:
        unreachable(effect)
    }
  }

  const recover = async (
    session: number,
    mode: 'clock' | 'token',
    serverMs: number | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    // Where the offset cannot be learned, a fresh timestamp and nonce are still worth the one attempt.
    const retry = await ports.recover(mode, serverMs, signal).catch(() => mode === 'clock')
    dispatch({ type: 'recovered', session, retry })
  }

  /** While it waits, the machine watches neither for silence nor for the end of an attempt. */
  const waitForRoom = (session: number, signal: AbortSignal): Promise<void> | undefined => {
    if (!ports.isFull()) return undefined
    dispatch({ type: 'full', session })
    return ports.room(signal).then(() => dispatch({ type: 'drained', session }))
  }

  const runSession = async (session: number, signal: AbortSignal): Promise<void> => {
    try {
      await waitForRoom(session, signal)
      const frames = await ports.open({
        attempt: session,
        signal,
        onSend: (sent) => dispatch({ type: 'sent', session, ...sent }),
      })
      for (;;) {
        const pause = waitForRoom(session, signal)
        if (pause !== undefined) await pause
        const result = await frames.next()
        if (signal.aborted) return
        if (result.done === true) {
          dispatch({ type: 'ended', session })
          return
        }
        take(session, result.value, signal)
        if (signal.aborted) return
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = ports.describeFailure(error)
      if ('notSent' in failure) {
        dispatch({ type: 'not-sent', session, step: failure.notSent, retryable: failure.retryable })
      } else dispatch({ type: 'failed', session, ...failure })
    }
  }

  const take = (session: number, frame: Frame, signal: AbortSignal): void => {
    // One reading of the clock for one frame: a gap that begins with it begins when it was received.
    const at = ports.clock.now()
    const { frame: kind, serverMs, connectionId } = ports.inspect(frame)
    const recentDropMs = kind === 'connection-limit' ? ports.recentDropMs() : undefined
    dispatch({ type: 'frame', session, frame: kind, serverMs, connectionId, recentDropMs, at })
    if ((kind === 'event' || kind === 'unknown') && !signal.aborted) ports.deliver(frame, at)
  }

  dispatch({ type: 'start' })
  return { stop: () => dispatch({ type: 'stop' }) }
}

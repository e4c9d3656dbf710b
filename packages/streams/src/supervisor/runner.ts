/**
 * Carries out what the supervisor's machine decides, through ports.
 *
 * Reading is pulled: while the consumer's queue is full nothing is read, and HTTP/2's flow control holds the service
 * back. An abandoned session is cancelled at once and its number is out of date, so whatever it still says is ignored.
 */
import { type Clock, unreachable } from '@brokerwire/core'
import type { Delivery } from '../delivery/delivery.ts'
import type { ItemQueue } from '../delivery/item-queue.ts'
import type { StreamNotice } from '../items/notices.ts'
import type { Attempts, OpenFrames } from '../subscription/attempt.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import type {
  SupervisorEffect,
  SupervisorEvent,
  SupervisorOutcome,
  SupervisorState,
  SupervisorTimer,
} from './machine-types.ts'
import type { SupervisorPolicy } from './policy.ts'
import { initialSupervisorState, steers, supervisorTransition } from './transition.ts'

/** The world of a supervisor. */
export interface SupervisorPorts<Frame> {
  readonly policy: SupervisorPolicy
  readonly clock: Clock
  /** From 0 up to but not including 1. */
  readonly random: () => number
  readonly attempts: Attempts<Frame>
  readonly delivery: Delivery<Frame>
  /** Where what is delivered waits for the consumer. */
  readonly queue: Pick<ItemQueue<unknown>, 'full' | 'room' | 'emptied'>
  readonly notify: (notice: StreamNotice) => void
  /** A batch of frames was taken. */
  readonly settle: (atMs: number) => void
  /** The cursors that were sent were refused. */
  readonly forgetCursors: () => void
  readonly reconcile: (cause: 'subscribed' | 'timer', signal: AbortSignal) => void
  /** When this process last gave up a subscription of the same key. */
  readonly recentDropMs: () => number | undefined
  readonly onAttempt: (attempt: number) => void
  readonly onState: (state: SupervisorState) => void
  readonly onEnd: (outcome: SupervisorOutcome) => void
  /** Ends the stream with an error of a port. */
  readonly fail: (error: unknown) => void
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
        // What nobody foresaw ends the stream, not the process.
        runSession(effect.session, connection.signal).catch(ports.fail)
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
        ports.delivery.cameBack(effect)
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
    const learned = await ports.attempts.recover(mode, serverMs, signal)
    dispatch({ type: 'recovered', session, ...learned })
  }

  /** While it waits, the machine watches neither for silence nor for the end of an attempt. */
  const waitForRoom = async (session: number, signal: AbortSignal): Promise<void> => {
    dispatch({ type: 'full', session })
    await ports.queue.emptied(signal)
    dispatch({ type: 'drained', session })
  }

  const runSession = async (session: number, signal: AbortSignal): Promise<void> => {
    const { attempts, queue } = ports
    if (queue.full) await waitForRoom(session, signal)
    if (signal.aborted) return
    ports.onAttempt(session)
    const opened = await attempts.open(signal, (sent) => dispatch({ type: 'sent', session, ...sent }))
    if (signal.aborted) return
    if ('failure' in opened) dispatch({ type: 'failed', session, ...opened.failure })
    else if ('notSent' in opened) {
      const { notSent: step, retryable, cause } = opened
      dispatch({ type: 'not-sent', session, step, retryable, cause })
    } else await readFrames(session, opened, signal)
  }

  /** Reads until the subscription ends or is given up. */
  const readFrames = async (
    session: number,
    subscription: OpenFrames<Frame>,
    signal: AbortSignal,
  ): Promise<void> => {
    const { queue } = ports
    while (!signal.aborted) {
      if (queue.full) await waitForRoom(session, signal)
      const { frames: maxFrames, bytes } = queue.room
      const batch = await subscription.next(maxFrames, bytes)
      if (signal.aborted) return
      if ('failure' in batch) dispatch({ type: 'failed', session, ...batch.failure })
      else if (batch.messages.length === 0) dispatch({ type: 'ended', session })
      else takeBatch(session, batch, signal)
    }
  }

  /**
   * The machine is asked about a frame that steers, in its place; of the others it hears once. One reading of the
   * clock for all: a gap that begins with them begins when they were received.
   */
  const takeBatch = (session: number, batch: MessageBatch<Frame>, signal: AbortSignal): void => {
    const { delivery } = ports
    const { frames } = delivery
    const { messages } = batch
    const at = ports.clock.now()
    let seen = 0
    let pings = 0
    let lastPingMs: number | undefined
    const tellSeen = (): void => {
      if (seen > 0) dispatch({ type: 'frames', session, pings, lastPingMs, at })
      seen = 0
      pings = 0
      lastPingMs = undefined
    }
    for (let index = 0; index < messages.length; index += 1) {
      const frame = messages[index] as Frame
      const kind = frames.classOf(frame)
      if (steers(state, kind)) {
        tellSeen()
        const recentDropMs = kind === 'connection-limit' ? ports.recentDropMs() : undefined
        const facts = { serverMs: frames.serverMs(frame), connectionId: frames.connectionId(frame) }
        dispatch({ type: 'frame', session, frame: kind, ...facts, recentDropMs, at })
        if (signal.aborted) break
      } else {
        seen += 1
        if (kind === 'ping') {
          pings += 1
          lastPingMs = frames.serverMs(frame)
        }
      }
      if (kind === 'event' || kind === 'unknown') delivery.take(batch, index, kind, at)
    }
    tellSeen()
    ports.settle(at)
  }

  dispatch({ type: 'start' })
  return { stop: () => dispatch({ type: 'stop' }) }
}

/**
 * Carries out what the supervisor's machine decides, through ports.
 *
 * Reading is pulled: while the consumer's queue is full nothing is read, and HTTP/2's flow control holds the service
 * back. An abandoned session is cancelled at once and its number is out of date, so whatever it still says is ignored.
 */

import type { Clock } from '@brokerwire/core'
import { MachineRunner, unreachable } from '@brokerwire/core/internal'
import type { DescMessage } from '@bufbuild/protobuf'
import type { SubscriptionBudget } from '../budget.ts'
import type { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import type { BatchStatistics } from '../delivery/batch-statistics.ts'
import type { FrameHandler } from '../delivery/frame-handler.ts'
import type { ItemOutput } from '../delivery/item-output.ts'
import type { ItemQueue } from '../delivery/item-queue.ts'
import type { Reporter, TradeStreamName } from '../observer.ts'
import type { Attempts, OpenCall } from '../subscription/attempt.ts'
import type { Contender } from '../subscription/contenders.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import type {
  CallFailure,
  SupervisorEffect,
  SupervisorEvent,
  SupervisorOutcome,
  SupervisorState,
} from './machine-types.ts'
import type { SupervisorPolicy } from './policy.ts'
import { initialSupervisorState, needsOwnStep, supervisorTransition } from './transition.ts'

export interface SupervisorPorts<Frame> {
  readonly policy: SupervisorPolicy
  readonly clock: Clock
  readonly random: () => number
  readonly budget: SubscriptionBudget
  readonly attempts: Pick<Attempts<DescMessage, Frame>, 'open' | 'recover' | 'withholdToken'>
  readonly handler: FrameHandler<Frame>
  readonly completeness: Pick<CompletenessTracker, 'onFrames' | 'receivedUntil'>
  readonly queue: Pick<ItemQueue<unknown>, 'full' | 'size' | 'capacity' | 'drainedWithinTurn' | 'drained'>
  readonly statistics: Pick<BatchStatistics<never>, 'flush'>
  readonly output: Pick<ItemOutput<never>, 'notify' | 'undecodable'>
  readonly report: Reporter
  /** Ends the stream with an error. */
  readonly fail: (error: unknown) => void
  /** Other streams of this process that may have the subscription which the service grants once for each app key. */
  readonly contender?: Contender | undefined
  readonly backfill: (cause: 'subscribed' | 'timer', signal: AbortSignal) => void
  readonly onEnd: (outcome: SupervisorOutcome) => void
}

/** Runs the machine of one stream: opens sessions, reads frames and performs effects. */
export class Supervisor<Frame> {
  readonly #ports: SupervisorPorts<Frame>
  readonly #machine: MachineRunner<SupervisorState, SupervisorEvent, SupervisorEffect>
  /** Of the machine's state, which has many shapes, what is asked for with every batch. */
  #phase: SupervisorState['phase'] = 'idle'
  #late = false
  /** The last frame's own timestamp. */
  #serverTimeMs: number | undefined
  /** When frames last came that the machine is to be informed of before its next event: most batches mean no more. */
  #activityMs: number | undefined
  /** When the batch was received that is not reported yet. */
  #unreportedMs: number | undefined
  /** Of what is under way: a connection, or the recovery after one. */
  #abortController = new AbortController()

  constructor(ports: SupervisorPorts<Frame>) {
    const { policy, clock, random, budget, report, contender } = ports
    this.#ports = ports
    this.#machine = new MachineRunner(initialSupervisorState(policy), {
      clock,
      random,
      transition: supervisorTransition,
      onStep: (before, state) => {
        const { phase, droppedAtMs } = state
        this.#phase = phase
        this.#late = phase === 'live' && state.late
        if (phase !== before.phase) {
          report('onState', { phase })
          contender?.setLive(phase === 'live')
          if (phase === 'ended') contender?.leave()
        }
        if (droppedAtMs !== undefined && droppedAtMs !== before.droppedAtMs) budget.dropped?.(droppedAtMs)
      },
      perform: (effect) => this.#perform(effect),
      preceding: () => {
        const at = this.#activityMs
        this.#activityMs = undefined
        if (at === undefined) return undefined
        return { type: 'frames', session: this.#machine.state.session, pings: 0, at }
      },
    })
  }

  start(): void {
    this.#machine.dispatch({ type: 'start' })
  }

  /** Another stream of this process, for the same service and app key, became live. */
  taken(heldBy: TradeStreamName): void {
    this.#machine.dispatch({ type: 'taken', heldBy })
  }

  /** Cancels everything at once. Harmless when called again. */
  stop(): void {
    this.#finishBatch()
    this.#machine.dispatch({ type: 'stop' })
  }

  #perform(effect: Exclude<SupervisorEffect, { readonly type: 'arm' | 'disarm' }>): void {
    switch (effect.type) {
      case 'open':
        this.#abortController = new AbortController()
        this.#failOnError(this.#runSession(effect.session, this.#abortController.signal))
        return
      case 'close':
        this.#abortController.abort()
        return
      case 'notify':
        this.#ports.output.notify(effect.notice)
        return
      case 'live':
        this.#ports.handler.onLive(effect)
        return
      case 'withhold-token':
        this.#ports.attempts.withholdToken()
        return
      case 'reset-cursors':
        this.#ports.handler.onCursorsRejected?.()
        return
      case 'recover':
        this.#failOnError(this.#recover(effect))
        return
      case 'backfill':
        this.#ports.backfill(effect.cause, this.#abortController.signal)
        return
      case 'end':
        this.#ports.onEnd(effect.outcome)
        return
      default:
        unreachable(effect)
    }
  }

  /** An unexpected error ends the stream, not the process. */
  #failOnError(running: Promise<void>): void {
    running.catch((error) => this.#ports.fail(error))
  }

  #failed(session: number, failure: CallFailure): void {
    const { budget, contender } = this.#ports
    const heldBy = contender?.holder()
    this.#machine.dispatch({
      type: 'failed',
      session,
      ...failure,
      recentDropMs: budget.lastReleaseMs,
      heldBy,
    })
  }

  async #recover({ session, mode, serverMs }: Extract<SupervisorEffect, { type: 'recover' }>): Promise<void> {
    this.#abortController = new AbortController()
    const learned = await this.#ports.attempts.recover(mode, serverMs, this.#abortController.signal)
    this.#machine.dispatch({ type: 'recovered', session, ...learned })
  }

  /**
   * While it waits, the machine watches neither for silence nor for the end of an attempt. A consumer that takes what is
   * there before anything else happens is not slow, and the machine need not hear of it.
   */
  async #waitForDrain(session: number, signal: AbortSignal): Promise<void> {
    const { queue } = this.#ports
    if (await queue.drainedWithinTurn()) return
    this.#machine.dispatch({ type: 'pause', session })
    await queue.drained(signal)
    this.#machine.dispatch({ type: 'resume', session })
  }

  async #runSession(session: number, signal: AbortSignal): Promise<void> {
    const { attempts, queue, report } = this.#ports
    if (queue.full) await this.#waitForDrain(session, signal)
    if (signal.aborted) return
    report('onAttempt', { attempt: session })
    const opened = await attempts.open(signal, (sent) =>
      this.#machine.dispatch({ type: 'sent', session, ...sent }),
    )
    if (signal.aborted) return
    if ('next' in opened) await this.#readFrames(session, opened, signal)
    else if ('status' in opened) this.#failed(session, opened)
    else this.#machine.dispatch({ type: 'not-sent', session, ...opened })
  }

  async #readFrames(session: number, call: OpenCall<Frame>, signal: AbortSignal): Promise<void> {
    const { queue } = this.#ports
    while (!signal.aborted) {
      if (queue.full) await this.#waitForDrain(session, signal)
      const { frames, bytes } = queue.capacity
      let batch: MessageBatch<Frame>
      try {
        batch = await call.next(frames, bytes)
      } catch (error) {
        this.#failed(session, call.describeFailure(error))
        continue
      }
      if (signal.aborted) return
      if (batch.isEmpty) {
        this.#machine.dispatch({ type: 'ended', session })
        continue
      }
      this.#takeBatch(session, batch, signal)
      // Yields a microtask, so that a pending next() resolves before the bookkeeping.
      await undefined
      this.#finishBatch()
    }
  }

  /**
   * Each control frame is a separate event of the machine, in order; the frames between two of them are one event. The clock
   * is read once for the batch: a gap that begins with one of its frames begins when the batch was received.
   */
  #takeBatch(session: number, batch: MessageBatch<Frame>, signal: AbortSignal): void {
    const { handler, completeness, output, clock, budget } = this.#ports
    const { messages, undecodable } = batch
    const at = clock.now()
    let seen = 0
    let pings = 0
    let lastPingMs: number | undefined
    let taken = 0
    const flushUpTo = (to: number): void => {
      if (to > taken) {
        this.#serverTimeMs = handler.frameReader.serverTimeMs(messages[to - 1] as Frame)
        handler.take(batch, taken, to, at)
        if (this.#phase === 'live') {
          const isEvent = handler.frameReader.classOf(messages[to - 1] as Frame) === 'event'
          completeness.onFrames({ hostMs: at, serviceMs: this.#serverTimeMs }, isEvent)
        }
      }
      taken = to
      if (seen > 0 && this.#phase === 'live') {
        if (pings > 0 || this.#late)
          this.#machine.dispatch({ type: 'frames', session, pings, lastPingMs, at })
        else this.#activityMs = at
      }
      seen = 0
      pings = 0
      lastPingMs = undefined
    }
    for (let index = 0; index < messages.length; index += 1) {
      const frame = messages[index] as Frame
      const kind = handler.frameReader.classOf(frame)
      if (!needsOwnStep(this.#phase, kind)) {
        seen += 1
        if (kind !== 'ping') continue
        pings += 1
        lastPingMs = handler.frameReader.serverTimeMs(frame)
        continue
      }
      flushUpTo(index)
      const recentDropMs = kind === 'connection-limit' ? budget.lastReleaseMs : undefined
      const facts = {
        serverMs: handler.frameReader.serverTimeMs(frame),
        connectionId: handler.frameReader.connectionId?.(frame),
      }
      this.#machine.dispatch({ type: 'frame', session, frame: kind, ...facts, recentDropMs, at })
      // The session was aborted: ignore the rest of the batch.
      if (signal.aborted) {
        taken = messages.length
        break
      }
    }
    const isRead = undecodable !== undefined && !signal.aborted
    // A sign of life, although nothing is known of its meaning.
    if (isRead) seen += 1
    flushUpTo(messages.length)
    if (isRead) output.undecodable(undecodable, at)
    this.#unreportedMs = at
  }

  /** The part of a batch that a consumer need not wait for. */
  #finishBatch(): void {
    const at = this.#unreportedMs
    if (at === undefined) return
    this.#unreportedMs = undefined
    const { handler, completeness, queue, statistics, report } = this.#ports
    handler.flush()
    if (this.#phase === 'live') {
      const receivedUntilMs = Math.min(at, completeness.receivedUntil.serviceMs ?? at)
      report('onAlive', { atMs: at, receivedUntilMs, serverTimeMs: this.#serverTimeMs })
    }
    statistics.flush(at, queue.size)
  }
}

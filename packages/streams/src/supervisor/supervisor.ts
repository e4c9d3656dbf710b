/**
 * The runner of the supervisor's state machine: makes attempts, reads frames and performs effects.
 *
 * While the consumer's queue is full, nothing is read, and HTTP/2 flow control pauses the service. An attempt that ends is
 * cancelled at once. Its later events have an old number and are ignored.
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
import type { StreamReporter, TradeStreamName } from '../observer.ts'
import type { Contender } from '../subscription/contenders.ts'
import type { OpenCall, SubscriptionDialer } from '../subscription/subscription-dialer.ts'
import type { MessageBatch } from '../transport/message-batch.ts'
import type {
  CallFailure,
  SupervisorEffect,
  SupervisorEvent,
  SupervisorOutcome,
  SupervisorState,
} from './machine-types.ts'
import type { SupervisorPolicy } from './policy.ts'
import { initialSupervisorState, mayChangePhase, supervisorTransition } from './transition.ts'

/** The parts of a stream that the supervisor uses. */
export interface SupervisorPorts<Frame> {
  readonly policy: SupervisorPolicy
  readonly clock: Clock
  readonly random: () => number
  readonly budget: SubscriptionBudget
  readonly dialer: Pick<
    SubscriptionDialer<DescMessage, Frame>,
    'origin' | 'dial' | 'recoverAuth' | 'withholdToken'
  >
  readonly handler: FrameHandler<Frame>
  readonly completeness: Pick<CompletenessTracker, 'onFrames' | 'receivedUntil'>
  readonly queue: Pick<ItemQueue<unknown>, 'full' | 'size' | 'capacity' | 'drainedWithinTurn' | 'drained'>
  readonly statistics: Pick<BatchStatistics<never>, 'flush'>
  readonly output: Pick<ItemOutput<never>, 'notify' | 'undecodable'>
  readonly report: StreamReporter
  /** Ends the stream with an error. */
  readonly fail: (error: unknown) => void
  /** This stream among those that compete for the only subscription of an app key. */
  readonly contender?: Contender | undefined
  readonly backfill: (cause: 'subscribed' | 'timer', signal: AbortSignal) => void
  readonly onEnd: (outcome: SupervisorOutcome) => void
}

/** The supervisor of one stream. */
export class Supervisor<Frame> {
  readonly #ports: SupervisorPorts<Frame>
  readonly #machine: MachineRunner<SupervisorState, SupervisorEvent, SupervisorEffect>
  /** Copies of two fields of the machine's state, because reading a state of many shapes for each batch is slow. */
  #phase: SupervisorState['phase'] = 'idle'
  #heartbeatOverdue = false
  /** The last frame's own timestamp. */
  #serverTimeMs: number | undefined
  /**
   * The instant of the last frames that the machine does not know yet. The machine gets it before its next
   * event.
   */
  #activityMs: number | undefined
  /** The instant of the batch that is not reported yet. */
  #unreportedMs: number | undefined
  /** Cancels the current attempt or recovery. */
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
        this.#heartbeatOverdue = phase === 'live' && state.heartbeatOverdue
        if (phase !== before.phase) {
          report('onStreamState', { phase })
          contender?.setPhase(phase)
          if (phase === 'ended') contender?.remove()
        }
        if (droppedAtMs !== undefined && droppedAtMs !== before.droppedAtMs)
          budget.onConnectionEnded?.(droppedAtMs)
      },
      perform: (effect) => this.#perform(effect),
      preceding: () => {
        const at = this.#activityMs
        this.#activityMs = undefined
        if (at === undefined) return undefined
        return { type: 'frames', attempt: this.#machine.state.attempt, pings: 0, at }
      },
    })
  }

  start(): void {
    this.#machine.dispatch({ type: 'start' })
  }

  /** Reports that another stream of this process, with the same service and app key, is live now. */
  onContenderLive(heldBy: TradeStreamName): void {
    this.#machine.dispatch({ type: 'contender-live', heldBy })
  }

  /** Cancels everything at once. Later calls do nothing. */
  stop(): void {
    this.#finishBatch()
    this.#machine.dispatch({ type: 'stop' })
  }

  #perform(effect: Exclude<SupervisorEffect, { readonly type: 'start-timer' | 'clear-timer' }>): void {
    switch (effect.type) {
      case 'open':
        this.#abortController = new AbortController()
        this.#failOnError(this.#runAttempt(effect.attempt, this.#abortController.signal))
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
        this.#ports.dialer.withholdToken()
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

  /** Ends the stream, not the process, after an unexpected error. */
  #failOnError(running: Promise<void>): void {
    running.catch((error) => this.#ports.fail(error))
  }

  #onCallFailed(attempt: number, failure: CallFailure): void {
    const { budget, contender } = this.#ports
    const heldBy = contender?.holder()
    this.#machine.dispatch({
      type: 'failed',
      attempt,
      ...failure,
      recentDropMs: budget.lastReleaseMs,
      heldBy,
    })
  }

  async #recover({
    attempt,
    mode,
    serverTimeMs,
  }: Extract<SupervisorEffect, { type: 'recover' }>): Promise<void> {
    this.#abortController = new AbortController()
    const recovery = await this.#ports.dialer.recoverAuth(mode, serverTimeMs, this.#abortController.signal)
    this.#machine.dispatch({ type: 'recovered', attempt, ...recovery })
  }

  /**
   * Waits for a consumer that has a full queue. Meanwhile the machine stops the timers of the heartbeat and of the attempt. If the
   * consumer empties the queue within this turn of the event loop, it is not slow, and the machine gets no event.
   */
  async #waitForDrain(attempt: number, signal: AbortSignal): Promise<void> {
    const { queue } = this.#ports
    if (await queue.drainedWithinTurn()) return
    this.#machine.dispatch({ type: 'pause', attempt })
    await queue.drained(signal)
    this.#machine.dispatch({ type: 'resume', attempt })
  }

  async #runAttempt(attempt: number, signal: AbortSignal): Promise<void> {
    const { dialer, queue, report } = this.#ports
    if (queue.full) await this.#waitForDrain(attempt, signal)
    if (signal.aborted) return
    report('onStreamAttempt', { attempt, origin: dialer.origin })
    const result = await dialer.dial(attempt, signal, (sent) =>
      this.#machine.dispatch({ type: 'sent', attempt, ...sent }),
    )
    if (signal.aborted) return
    if ('next' in result) await this.#readFrames(attempt, result, signal)
    else if ('status' in result) this.#onCallFailed(attempt, result)
    else this.#machine.dispatch({ type: 'not-sent', attempt, ...result })
  }

  async #readFrames(attempt: number, call: OpenCall<Frame>, signal: AbortSignal): Promise<void> {
    const { queue } = this.#ports
    while (!signal.aborted) {
      if (queue.full) await this.#waitForDrain(attempt, signal)
      const { frames, bytes } = queue.capacity
      let batch: MessageBatch<Frame>
      try {
        batch = await call.next(frames, bytes)
      } catch (error) {
        this.#onCallFailed(attempt, call.toCallFailure(error))
        continue
      }
      if (signal.aborted) return
      if (batch.isEmpty) {
        this.#machine.dispatch({ type: 'ended', attempt })
        continue
      }
      this.#takeBatch(attempt, batch, signal)
      // Yields a microtask, so that a pending next() resolves before the bookkeeping.
      await undefined
      this.#finishBatch()
    }
  }

  /**
   * Passes a batch to the pipeline and the machine. Each frame that may change the phase is a separate event
   * of the machine, in order. All frames between two such frames are one event. The clock is read once for
   * the batch.
   */
  #takeBatch(attempt: number, batch: MessageBatch<Frame>, signal: AbortSignal): void {
    const { handler, completeness, output, clock, budget } = this.#ports
    const { messages, undecodable } = batch
    const at = clock.now()
    let frames = 0
    let pings = 0
    let lastPingMs: number | undefined
    let taken = 0
    const flushUpTo = (to: number): void => {
      if (to > taken) {
        this.#serverTimeMs = handler.frameReader.serverTimeMs(messages[to - 1] as Frame)
        handler.take(batch, taken, to, at)
        if (this.#phase === 'live') {
          const isEvent = handler.frameReader.classify(messages[to - 1] as Frame) === 'event'
          completeness.onFrames({ hostMs: at, serviceMs: this.#serverTimeMs }, isEvent)
        }
      }
      taken = to
      if (frames > 0 && this.#phase === 'live') {
        if (pings > 0 || this.#heartbeatOverdue)
          this.#machine.dispatch({ type: 'frames', attempt, pings, lastPingMs, at })
        else this.#activityMs = at
      }
      frames = 0
      pings = 0
      lastPingMs = undefined
    }
    for (let index = 0; index < messages.length; index += 1) {
      const frame = messages[index] as Frame
      const kind = handler.frameReader.classify(frame)
      if (!mayChangePhase(this.#phase, kind)) {
        frames += 1
        if (kind !== 'ping') continue
        pings += 1
        lastPingMs = handler.frameReader.serverTimeMs(frame)
        continue
      }
      flushUpTo(index)
      const recentDropMs = kind === 'connection-limit' ? budget.lastReleaseMs : undefined
      const fields = {
        serverTimeMs: handler.frameReader.serverTimeMs(frame),
        connectionId: handler.frameReader.connectionId?.(frame),
      }
      this.#machine.dispatch({ type: 'frame', attempt, frame: kind, ...fields, recentDropMs, at })
      // The attempt was aborted: ignore the rest of the batch.
      if (signal.aborted) {
        taken = messages.length
        break
      }
    }
    const isRead = undecodable !== undefined && !signal.aborted
    // An undecodable message also proves that the connection is alive.
    if (isRead) frames += 1
    flushUpTo(messages.length)
    if (isRead) output.undecodable(undecodable, at)
    this.#unreportedMs = at
  }

  /** Does the work of a batch that a pending `next()` does not wait for. */
  #finishBatch(): void {
    const at = this.#unreportedMs
    if (at === undefined) return
    this.#unreportedMs = undefined
    const { handler, completeness, queue, statistics, report } = this.#ports
    handler.flush()
    if (this.#phase === 'live') {
      const receivedUntilMs = Math.min(at, completeness.receivedUntil.serviceMs ?? at)
      report('onStreamAlive', { atMs: at, receivedUntilMs, serverTimeMs: this.#serverTimeMs })
    }
    statistics.flush(at, queue.size)
  }
}

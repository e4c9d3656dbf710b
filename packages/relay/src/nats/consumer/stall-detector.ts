/**
 * Detects a consumer that delivers nothing although its stream has more messages: its server lags behind the
 * stream's leader and reports that nothing is pending. Idle heartbeats still arrive, so the check of nats.js
 * does not notice the stall. This was seen with followers of nats-server 2.9.10 that had been killed and
 * restarted.
 */

import type { RelayError } from '../../relay-error.ts'
import { sinkUnavailable } from '../../sink/sink-errors.ts'

/** The state of an idle consumer and of its stream. */
export interface ConsumerSnapshot {
  /**
   * The sequence of the last message on the stream's leader that matches the consumer's filter; 0 if there is
   * no such message.
   */
  readonly last: number
  /** The last message that the consumer reports as delivered. */
  readonly delivered: number
  /** The number of messages that the consumer reports as pending. */
  readonly pending: number
}

/** Whether a consumer has stalled. Only messages of the previous snapshot count, because later ones may still be in transit. */
export function isStalled(previous: ConsumerSnapshot | undefined, current: ConsumerSnapshot): boolean {
  if (previous === undefined || previous.pending > 0 || current.pending > 0) return false
  return current.delivered === previous.delivered && current.delivered < previous.last
}

/** Creates the error of a stalled consumer that several processes share. */
export function stalledConsumer(
  stream: string,
  durableName: string,
  { delivered, last }: ConsumerSnapshot,
): RelayError {
  const reason = `consumer ${durableName} has delivered up to ${delivered} and reports nothing pending, but the stream has ${last}: its server lags behind. Run: nats consumer cluster step-down ${stream} ${durableName}`
  return sinkUnavailable(stream, reason)
}

/** Compares the snapshots that are taken after fetches without a message. */
export class StallDetector {
  readonly #takeSnapshot: () => Promise<ConsumerSnapshot>
  #previous: ConsumerSnapshot | undefined
  #stall: ConsumerSnapshot | undefined

  constructor(takeSnapshot: () => Promise<ConsumerSnapshot>) {
    this.#takeSnapshot = takeSnapshot
  }

  /** Called when a message arrived, which shows that the consumer has not stalled. */
  reset(): void {
    this.#previous = undefined
    this.#stall = undefined
  }

  /**
   * Call it after a fetch without a message. It starts to read a snapshot, and does not wait for the result.
   *
   * @returns The snapshot in which the consumer has stalled. Each one is returned once.
   */
  onIdle(): ConsumerSnapshot | undefined {
    const stall = this.#stall
    if (stall !== undefined) this.reset()
    // A request that fails, for example because of a missing permission, is ignored.
    else this.#check().catch(() => {})
    return stall
  }

  async #check(): Promise<void> {
    const current = await this.#takeSnapshot()
    if (isStalled(this.#previous, current)) this.#stall = current
    this.#previous = current
  }
}

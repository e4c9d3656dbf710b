/**
 * Finds a consumer that delivers nothing although its stream has more messages: its server lags behind the stream's leader and
 * reports that nothing is pending. Heartbeats still arrive then, so the idle heartbeat of nats.js does not notice it. Seen with
 * followers of nats-server 2.9.10 that had been killed and restarted.
 */

import type { RelayError } from '../../relay-error.ts'
import { sinkUnavailable } from '../../sink/sink-errors.ts'

/** The state of an idle consumer and of its stream. */
export interface ConsumerSnapshot {
  /** The last message of the consumer's filter that the stream's leader has; 0: none. */
  readonly last: number
  /** The last message that the consumer reports as delivered. */
  readonly delivered: number
  /** The number of messages that the consumer reports as pending. */
  readonly pending: number
}

/** A message that was stored a moment ago may still be on its way: only the messages of the previous look count. */
export function isStalled(previous: ConsumerSnapshot | undefined, current: ConsumerSnapshot): boolean {
  if (previous === undefined || previous.pending > 0 || current.pending > 0) return false
  return current.delivered === previous.delivered && current.delivered < previous.last
}

/** The error of a stalled consumer that several processes share. */
export function stalledConsumer(
  stream: string,
  durable: string,
  { delivered, last }: ConsumerSnapshot,
): RelayError {
  const reason = `its consumer ${durable} has delivered up to ${delivered} and says that nothing is pending, and the stream has ${last}: its server lags behind; nats consumer cluster step-down ${stream} ${durable}`
  return sinkUnavailable(stream, reason)
}

/** Compares one look for each fetch that ended without a message. */
export class StallDetector {
  readonly #takeSnapshot: () => Promise<ConsumerSnapshot>
  #previous: ConsumerSnapshot | undefined
  #stall: ConsumerSnapshot | undefined

  constructor(takeSnapshot: () => Promise<ConsumerSnapshot>) {
    this.#takeSnapshot = takeSnapshot
  }

  /** A message arrived: the consumer is alive. */
  reset(): void {
    this.#previous = undefined
    this.#stall = undefined
  }

  /**
   * To be called after a fetch without a message. It starts a look and does not wait for it: the next fetch is open meanwhile.
   *
   * @returns The look that found the consumer stalled, once.
   */
  onIdle(): ConsumerSnapshot | undefined {
    const stall = this.#stall
    if (stall !== undefined) this.reset()
    // A failed look, for example without the permission for it, changes nothing.
    else this.#check().catch(() => {})
    return stall
  }

  async #check(): Promise<void> {
    const current = await this.#takeSnapshot()
    if (isStalled(this.#previous, current)) this.#stall = current
    this.#previous = current
  }
}

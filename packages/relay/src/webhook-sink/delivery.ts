/**
 * Delivers one message after the other to a receiver, with retries. A message is delivered when the receiver
 * returned a status from 200 to 299. All attempts have the same id and body; each has a new timestamp and signature.
 */
import { type AbortSignalLike, type Clock, escapeControlChars } from '@brokerwire/core'
import { sleep, throwIfAborted } from '@brokerwire/core/internal'
import { type HmacKey, signParts } from '../webhook/signature.ts'
import { describeConnectionError, type Receiver } from './receiver.ts'
import type { WebhookAttempt } from './webhook-attempt.ts'

/** A message for a receiver. */
export interface WebhookMessage {
  /** The value of `webhook-id`. */
  readonly id: string
  readonly contentType: string
  readonly body: Uint8Array
}

export interface DeliveryOptions {
  readonly receiver: Pick<Receiver, 'post'>
  /** Returns the keys for the signatures of an attempt. */
  readonly getKeys: () => Promise<readonly HmacKey[]>
  /** The longest wait between two attempts, unless the receiver requests a longer one. Milliseconds. */
  readonly maxRetryWaitMs: number
  readonly clock: Clock
  readonly random: () => number
  /** Called before each attempt. If it throws, the delivery fails with that error. */
  readonly beforeAttempt?: (() => Promise<void>) | undefined
  /** Called after each attempt. */
  readonly onAttempt: (attempt: WebhookAttempt) => void
}

/** The end of a delivery. */
export type DeliveryEnd =
  | { readonly type: 'delivered' }
  /** The receiver returned 410 Gone: it must not get any more messages. */
  | { readonly type: 'gone' }
  /** The time for the message is over. */
  | { readonly type: 'expired'; readonly attempts: number; readonly reason: string }

const FIRST_WAIT_MS = 1000
/** The longest wait that a receiver may request. */
const MAX_RETRY_AFTER_MS = 3_600_000
const GONE = 410

export class Delivery {
  readonly #options: DeliveryOptions

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /**
   * Delivers a message. It has at least one attempt.
   *
   * @param untilMs - The instant after which there is no further attempt; `undefined`: no limit.
   * @throws The error of `beforeAttempt`; the reason of the signal.
   */
  async deliver(
    message: WebhookMessage,
    untilMs: number | undefined,
    signal: AbortSignalLike,
  ): Promise<DeliveryEnd> {
    const { clock, random, maxRetryWaitMs, beforeAttempt } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      throwIfAborted(signal)
      await beforeAttempt?.()
      const { status, reason, retryAfterMs = 0 } = await this.#attempt(message, attempt, signal)
      if (reason === undefined) return { type: 'delivered' }
      if (status === GONE) return { type: 'gone' }
      const boundMs = Math.min(maxRetryWaitMs, FIRST_WAIT_MS * 2 ** (attempt - 1))
      const waitMs = Math.max(boundMs * (0.5 + random() / 2), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))
      const leftMs = untilMs === undefined ? Number.POSITIVE_INFINITY : untilMs - clock.now()
      await sleep(clock, Math.min(waitMs, leftMs), signal)
      if (waitMs > leftMs) return { type: 'expired', attempts: attempt, reason }
    }
  }

  async #attempt(message: WebhookMessage, attempt: number, signal: AbortSignalLike) {
    const { receiver, getKeys, clock, onAttempt } = this.#options
    const { id, contentType, body } = message
    const startMs = clock.now()
    let status: number | undefined
    let reason: string | undefined
    let retryAfterMs: number | undefined
    try {
      const signature = await signParts(await getKeys(), id, body, startMs)
      const headers = { 'content-type': contentType, 'user-agent': 'brokerwire', ...signature }
      const response = await receiver.post(headers, body, signal)
      status = response.status
      retryAfterMs = response.retryAfterMs
      reason = describeStatus(status)
    } catch (error) {
      throwIfAborted(signal)
      reason = escapeControlChars(describeConnectionError(error), 200)
    }
    onAttempt({ id, attempt, status, reason, durationMs: clock.now() - startMs })
    return { status, reason, retryAfterMs }
  }
}

function describeStatus(status: number): string | undefined {
  if (status >= 200 && status <= 299) return undefined
  return status >= 300 && status <= 399
    ? `status ${status}, and redirects are not followed`
    : `status ${status}`
}

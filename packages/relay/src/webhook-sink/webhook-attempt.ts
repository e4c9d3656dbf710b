/** The report of an attempt. Types of hosts are not imported here, because the public types refer to this file. */

/** An attempt to deliver a message. */
export interface WebhookAttempt {
  /** The value of `webhook-id`. */
  readonly id: string
  /** The number of the attempt, from 1 on. */
  readonly attempt: number
  /** The status of the response; `undefined` if there was none. */
  readonly status: number | undefined
  /** The reason why the attempt failed; `undefined` if the message is delivered. */
  readonly reason: string | undefined
  /** Duration of the attempt, milliseconds. */
  readonly durationMs: number
}

/** Options of a webhook sink, with their defaults. */
import type { Clock, Store } from '@brokerwire/core'
import {
  boolean,
  clock,
  custom,
  type FieldsOf,
  filePath,
  func,
  integer,
  object,
  optional,
  port,
  readOptions,
  unchecked,
} from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import type { SinkState } from '../sink/event-sink.ts'
import type { WebhookSecrets } from '../webhook/webhook-secrets.ts'
import { type StreamAddress, streamAddress } from '../wire/subjects.ts'
import type { DeadLetterOptions } from './dead-letters.ts'
import { readReceiverUrl } from './receiver-url.ts'
import type { WebhookAttempt } from './webhook-attempt.ts'

/** The report of messages that were written to the file of dead letters. */
export interface DeadLetterReport {
  /** The number of messages. */
  readonly messages: number
  /** The path of the file. */
  readonly file: string
  /** The reason why the last attempt failed. */
  readonly reason: string
}

/** Options of `createWebhookSink`. They are read once. */
export interface WebhookSinkOptions {
  /** The address of the app's stream. */
  readonly address: StreamAddress
  /**
   * The URL of the receiver: `https:`, or `http:` on a loopback host with `allowPrivateAddresses`. It must not
   * contain credentials or a fragment.
   */
  readonly url: string
  /**
   * The secret, or several while it is replaced: each request has a signature with each of them. A function is called
   * before an attempt if its last result is older than ten seconds. If it then fails, the last result is used.
   */
  readonly secrets: WebhookSecrets | (() => WebhookSecrets | PromiseLike<WebhookSecrets>)
  /** The store of the stream's record, which all relays of the cluster share. */
  readonly store: Store
  /**
   * Maximum number of events in a request. 1: a request has one event, and its `webhook-id` is the same for all copies
   * of the event. More: a request has a JSON array, and the receiver must compare the `id` of each event.
   * @defaultValue 1
   */
  readonly maxBatchEvents?: number | undefined
  /** Maximum length of a request's body, bytes. A longer event is oversized. @defaultValue 1 MiB */
  readonly maxBodyBytes?: number | undefined
  /** Time limit of an attempt, milliseconds. @defaultValue 15_000 */
  readonly timeoutMs?: number | undefined
  /**
   * The longest wait between two attempts, milliseconds. The first wait is one second, and each further one is twice
   * as long, less a random part of up to a half. A `Retry-After` of at most an hour can make a wait longer.
   * @defaultValue 60_000
   */
  readonly maxRetryWaitMs?: number | undefined
  /**
   * The file for messages that the receiver did not accept in time.
   * @defaultValue none: a message is retried until the receiver accepts it
   */
  readonly deadLetters?: DeadLetterOptions | undefined
  /** Whether to send to private, loopback and link-local addresses. @defaultValue false */
  readonly allowPrivateAddresses?: boolean | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). @defaultValue Math.random */
  readonly random?: (() => number) | undefined
  /** Called when the receiver does not accept messages, and when it accepts them again. */
  readonly onState?: ((state: SinkState) => void) | undefined
  /** Called when the function `secrets` failed, or returned a secret in another form. The last secrets are used. */
  readonly onSecretsFailed?: ((error: unknown) => void) | undefined
  /** Called after each attempt. */
  readonly onAttempt?: ((attempt: WebhookAttempt) => void) | undefined
  /** Called when messages were written to the file of dead letters. */
  readonly onDeadLetter?: ((report: DeadLetterReport) => void) | undefined
}

const SECRETS = 'a secret, a list of secrets or a function that returns them'

const OPTIONS = {
  address: streamAddress,
  url: unchecked<string>(),
  secrets: custom<WebhookSinkOptions['secrets']>(
    SECRETS,
    (value) => value !== undefined && value !== null && value !== '',
  ),
  store: port<Store>(['get', 'compareAndSet']),
  maxBatchEvents: integer({ min: 1, max: 1000, default: 1 }),
  maxBodyBytes: integer({ min: 4096, max: 256 * 1024 * 1024, default: 1024 * 1024 }),
  timeoutMs: integer({ min: 100, max: 600_000, default: 15_000 }),
  maxRetryWaitMs: integer({ min: 1, max: 86_400_000, default: 60_000 }),
  deadLetters: optional(
    object({
      directory: filePath,
      afterMs: integer({ min: 1, max: 366 * 86_400_000, default: 3_600_000 }),
      maxBytes: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, default: 1024 ** 3 }),
    }),
  ),
  allowPrivateAddresses: boolean(false),
  clock,
  random: func(Math.random),
  onState: optional(func<NonNullable<WebhookSinkOptions['onState']>>()),
  onSecretsFailed: optional(func<NonNullable<WebhookSinkOptions['onSecretsFailed']>>()),
  onAttempt: optional(func<NonNullable<WebhookSinkOptions['onAttempt']>>()),
  onDeadLetter: optional(func<NonNullable<WebhookSinkOptions['onDeadLetter']>>()),
} satisfies FieldsOf<WebhookSinkOptions>

/** Checks the options. @throws RelayError `RELAY_OPTION_INVALID`. */
export function readWebhookSinkOptions(given: WebhookSinkOptions) {
  const options = readOptions(optionFailure, given, OPTIONS)
  return { ...options, url: readReceiverUrl(optionFailure, 'url', options.url, options) }
}

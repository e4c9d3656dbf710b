/** The fields of `sink` with the type `webhook`. */
import { boolean, integer, object, optional, secretRef, text } from './fields.ts'

const DAY_MS = 86_400_000

export const WEBHOOK_FIELDS = {
  url: text('HTTPS address of the receiver', {
    pattern: '^https?://[^\\s#@]+$',
    expected: 'an https: URL without credentials and fragment, such as https://host/path',
  }),
  secret: secretRef(
    'source of the secret that signs the requests: "whsec_" and the base64 form of 24 to 64 bytes. Several, separated by white space, sign together while one is replaced; a file is read again every ten seconds',
  ),
  maxBatchEvents: integer('events in a request; more than 1: a request has an array of events', {
    min: 1,
    max: 1000,
    default: 1,
  }),
  maxBodyBytes: integer('length of the body of a request; a longer event is oversized', {
    min: 4096,
    max: 256 * 1024 * 1024,
    default: 1024 * 1024,
  }),
  timeoutMs: integer('time limit of an attempt', { min: 100, max: 600_000, default: 15_000 }),
  maxRetryWaitMs: integer('longest wait between two attempts, unless the receiver requests a longer one', {
    min: 1,
    max: DAY_MS,
    default: 60_000,
  }),
  deadLetters: optional(
    object(
      'file of events that were not accepted in time; default: an event is retried until it is accepted',
      {
        directory: text('one file of JSON lines for each app; relative to the working directory', {
          default: 'dead-letters',
        }),
        afterMs: integer('time after which an event is written to the file', {
          min: 1,
          max: 366 * DAY_MS,
          default: 3_600_000,
        }),
        maxBytes: integer('events are not written beyond this length; the relay then retries', {
          min: 1024 * 1024,
          max: Number.MAX_SAFE_INTEGER,
          default: 1024 ** 3,
        }),
      },
    ),
  ),
  allowPrivateAddresses: boolean('allows private, loopback and link-local addresses of the receiver', false),
}

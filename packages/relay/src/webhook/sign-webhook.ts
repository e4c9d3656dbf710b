/** The signer of webhooks, for senders and for tests of receivers. */
import type { BytesLike } from '@brokerwire/core'
import { custom, type FieldsOf, func, readOptions, string, unchecked } from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import { importKeys, signParts } from './signature.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'

/** Options of {@link signWebhook}. */
export interface SignWebhookOptions {
  /** The identity of the message, the same for all its attempts: 1 to 256 visible ASCII characters. */
  readonly id: string
  /** The bytes of the body, as they are sent. */
  readonly body: BytesLike
  /** The secret, or several while it is replaced: the result has a signature with each of them. */
  readonly secrets: WebhookSecrets
  /** Clock, in milliseconds since the Unix epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined
}

const OPTIONS = {
  id: string({ pattern: /^[!-~]{1,256}$/, expected: '1 to 256 visible ASCII characters', isName: true }),
  body: custom<BytesLike>(
    'bytes',
    (value: unknown) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer,
  ),
  secrets: unchecked<WebhookSecrets>(),
  now: func(() => Date.now()),
} satisfies FieldsOf<SignWebhookOptions>

/**
 * Signs a webhook. Tests of a receiver use it to make valid requests.
 *
 * @returns The headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { signWebhook } from '@brokerwire/relay/webhook'
 *
 * declare const secret: string
 *
 * const body = new TextEncoder().encode('{"type":"test"}')
 * const headers = await signWebhook({ id: 'msg_1', body, secrets: secret })
 * await fetch('http://127.0.0.1:8080/events', { method: 'POST', headers, body })
 * ```
 */
export async function signWebhook(options: SignWebhookOptions): Promise<Record<string, string>> {
  const { id, body, secrets, now } = readOptions(optionFailure, options, OPTIONS)
  return signParts(await importKeys('secrets', secrets), id, body, now())
}

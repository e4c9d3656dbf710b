/**
 * The verifier of webhooks. It never throws for hostile input: the result names the first rule that the
 * request failed. The signature is checked last.
 */
import type { BytesLike, HeadersLike } from '@brokerwire/core'
import {
  custom,
  type FieldsOf,
  func,
  integer,
  isRecord,
  readOptions,
  unchecked,
} from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import { decodeBase64, importKeys, matchesSignature, WEBHOOK_HEADERS } from './signature.ts'
import type { WebhookSecrets } from './webhook-secrets.ts'

/** Headers of a request: a `Headers` object, or an object such as `request.headers` of Node. */
export type WebhookHeaders =
  | Pick<HeadersLike, 'get'>
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Options of {@link verifyWebhook}. */
export interface VerifyWebhookOptions {
  /** Headers of the request. */
  readonly headers: WebhookHeaders
  /** Body as received, before any parser. */
  readonly body: BytesLike
  /** The secret, or several while it is replaced: a signature with any of them is valid. */
  readonly secrets: WebhookSecrets
  /**
   * Maximum difference between the timestamp and the clock, in both directions, milliseconds.
   * @defaultValue 300_000
   */
  readonly toleranceMs?: number | undefined
  /** Clock, in milliseconds since the Unix epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined
}

/** The rule that a request failed. */
export type WebhookRule =
  /** A header is absent or empty. */
  | 'missing-header'
  /** A header is present more than once. */
  | 'repeated-header'
  /** A header has invalid characters or is too long, or no signature has version 1. */
  | 'malformed-header'
  /** The timestamp is outside of the tolerance. */
  | 'timestamp'
  /** No signature matches the request. */
  | 'signature'

/** The result of {@link verifyWebhook}. */
export type VerifyWebhookResult =
  | {
      /** Always `true` for a valid request. */
      readonly ok: true
      /** The value of `webhook-id`. Duplicates of a message have the same id. */
      readonly id: string
      /** The instant of the attempt, milliseconds since the Unix epoch. */
      readonly timestampMs: number
    }
  | {
      /** Always `false` for a rejected request. */
      readonly ok: false
      /** The first rule that the request failed. */
      readonly rule: WebhookRule
      /** Name of the invalid header. */
      readonly header: string
      /** Reason for people, with the rule `timestamp`. */
      readonly reason?: string | undefined
    }

const isBytes = (value: unknown): boolean => ArrayBuffer.isView(value) || value instanceof ArrayBuffer

const OPTIONS = {
  headers: custom<WebhookHeaders>('an object with headers', isRecord),
  body: custom<BytesLike>('the bytes of the body as received, not a string or a parsed object', isBytes),
  secrets: unchecked<WebhookSecrets>(),
  toleranceMs: integer({ min: 0, max: 86_400_000, default: 300_000 }),
  now: func(() => Date.now()),
} satisfies FieldsOf<VerifyWebhookOptions>

const ID = /^[!-~]{1,256}$/
const TIMESTAMP = /^\d{1,12}$/
const MAX_SIGNATURES_LENGTH = 2048
const SIGNATURE_BYTES = 32

type Failure = Extract<VerifyWebhookResult, { readonly ok: false }>

/**
 * Verifies a webhook of a relay, or of any sender that signs by the Standard Webhooks specification. The
 * promise does not reject for any input from a client.
 *
 * @throws RelayError `RELAY_OPTION_INVALID` if the secrets, the body or another option has a wrong type.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from '@brokerwire/relay/webhook'
 *
 * declare const secret: string
 *
 * export async function receive(request: Request): Promise<Response> {
 *   const body = await request.arrayBuffer()
 *   const result = await verifyWebhook({ headers: request.headers, body, secrets: secret })
 *   if (!result.ok) return new Response(result.rule, { status: 401 })
 *   const event = JSON.parse(new TextDecoder().decode(body))
 *   console.log(result.id, event.type)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<VerifyWebhookResult> {
  const { headers, body, secrets, toleranceMs, now } = readOptions(optionFailure, options, OPTIONS)
  const keys = await importKeys('secrets', secrets)
  const parts: string[] = []
  for (const name of Object.values(WEBHOOK_HEADERS)) {
    const [value, second] = headerValues(headers, name)
    if (value === undefined || value === '') return failure('missing-header', name)
    if (second !== undefined) return failure('repeated-header', name)
    parts.push(value)
  }
  const [id = '', timestamp = '', signatureList = ''] = parts
  if (!ID.test(id)) return failure('malformed-header', WEBHOOK_HEADERS.id)
  if (!TIMESTAMP.test(timestamp)) return failure('malformed-header', WEBHOOK_HEADERS.timestamp)
  const signatures = parseSignatures(signatureList)
  if (signatures === undefined) return failure('malformed-header', WEBHOOK_HEADERS.signature)
  const timestampMs = 1000 * Number(timestamp)
  const aheadMs = timestampMs - now()
  if (!(Math.abs(aheadMs) <= toleranceMs)) {
    const seconds = Math.round(Math.abs(aheadMs) / 1000)
    const reason = `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this clock`
    return { ...failure('timestamp', WEBHOOK_HEADERS.timestamp), reason }
  }
  if (!(await matchesSignature(keys, signatures, { id, timestamp, body })))
    return failure('signature', WEBHOOK_HEADERS.signature)
  return { ok: true, id, timestampMs }
}

const failure = (rule: WebhookRule, header: string): Failure => ({ ok: false, rule, header })

/** Returns the signatures of version 1. Other versions are ignored, as the specification requires. */
function parseSignatures(text: string) {
  if (text.length > MAX_SIGNATURES_LENGTH) return undefined
  const signatures = []
  for (const part of text.split(' ')) {
    if (!part.startsWith('v1,')) continue
    const bytes = decodeBase64(part.slice(3))
    if (bytes?.length !== SIGNATURE_BYTES) return undefined
    signatures.push(bytes)
  }
  return signatures.length === 0 ? undefined : signatures
}

/** Returns the values of a header, in any spelling of its name. */
function headerValues(headers: WebhookHeaders, name: string): readonly string[] {
  if (typeof headers.get === 'function') {
    const value = headers.get(name)
    return typeof value === 'string' ? [value] : []
  }
  const values: string[] = []
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== name || value === undefined) continue
    for (const text of Array.isArray(value) ? value : [value]) values.push(String(text))
  }
  return values
}

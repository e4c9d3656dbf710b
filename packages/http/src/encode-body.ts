/**
 * The bytes of a request's body. They are made once: these bytes are signed, and these are sent.
 *
 * JSON is compact, and `<`, `>` and `&` are not escaped (specification, "Request signature").
 */
import { describe, revealSecret, utf8Encode } from '@brokerwire/core/internal'
import { optionFailure } from './http-error.ts'
import type { HttpRequest } from './request.ts'

/** An encoded body. */
export interface EncodedBody {
  /** `undefined` if there is none: an empty body has no digest. */
  readonly body: Uint8Array<ArrayBuffer> | undefined
  /** Secrets in the body. The service may quote them in its messages. */
  readonly secrets: readonly string[]
}

const JSON_VALUE = 'a value that JSON can hold'

const secretIn = (value: unknown): string | undefined =>
  typeof value === 'object' ? revealSecret(value) : undefined

/** Serializes `json`. Adds its secrets to `secrets`. */
function serialize(json: unknown, secrets: string[]): string {
  let text: string | undefined
  try {
    text = JSON.stringify(
      json,
      function (this: Record<string, unknown>, key: string, value: unknown): unknown {
        // A Secret's toJSON made `value` a placeholder, while its holder still has the Secret. Or toJSON of another object
        // returned a Secret.
        const secret = secretIn(this[key]) ?? secretIn(value)
        if (secret !== undefined) secrets.push(secret)
        return secret ?? value
      },
    )
  } catch {
    throw optionFailure('json', JSON_VALUE, 'a value that JSON.stringify rejects')
  }
  if (text === undefined) throw optionFailure('json', JSON_VALUE, describe(json))
  return text
}

/** @param isSafe - Whether the method is GET or HEAD, which have no body. @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export function encodeBody(
  { method, json, body }: Pick<HttpRequest, 'method' | 'json' | 'body'>,
  isSafe: boolean,
): EncodedBody {
  const hasJson = json !== undefined
  if (isSafe && (hasJson || body !== undefined)) {
    const option = hasJson ? 'json' : 'body'
    throw optionFailure(
      option,
      'undefined',
      'a body',
      `${option} must not be set for ${method} requests; use "query"`,
    )
  }
  if (hasJson && body !== undefined)
    throw optionFailure('body', 'undefined', 'both', 'body and json must not be set together')
  const secrets: string[] = []
  const content: unknown = hasJson ? serialize(json, secrets) : (body ?? '')
  if (typeof content === 'string') return { body: content ? utf8Encode(content) : undefined, secrets }
  if (!(content instanceof Uint8Array))
    throw optionFailure('body', 'a string or a Uint8Array', describe(content))
  // A copy, because the caller may reuse its buffer while the request is retried.
  return { body: content.length ? new Uint8Array(content) : undefined, secrets }
}

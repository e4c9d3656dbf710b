/**
 * The bytes of a request's body, made once: they are signed, and these very bytes are sent.
 *
 * JSON is compact, and `<`, `>` and `&` stand as they are (specification, "Request signature").
 */
import { describe, revealSecret, utf8Encode } from '@brokerwire/core/internal'
import { optionFailure } from './http-error.ts'
import type { HttpRequest } from './request.ts'

/** A body, ready to be signed. */
export interface EncodedBody {
  /** `undefined` where there is none: an empty body has no digest. */
  readonly body: Uint8Array<ArrayBuffer> | undefined
  /** Secret texts in the body: what the service says about the request must not carry them into a log. */
  readonly secrets: readonly string[]
}

const JSON_VALUE = 'a value that JSON can hold'

const secretOf = (value: unknown): string | undefined =>
  typeof value === 'object' ? revealSecret(value) : undefined

/** The text of `json`; what `secrets` there are in it is added to them. */
function jsonText(json: unknown, secrets: string[]): string {
  let text: string | undefined
  try {
    text = JSON.stringify(
      json,
      function (this: Record<string, unknown>, key: string, value: unknown): unknown {
        // `value` is what the secret's own toJSON made of it, a placeholder; the holder still has the secret. Or it is
        // a secret that the toJSON of something else gave.
        const secret = secretOf(this[key]) ?? secretOf(value)
        if (secret !== undefined) secrets.push(secret)
        return secret ?? value
      },
    )
  } catch {
    throw optionFailure('json', JSON_VALUE, 'one that JSON.stringify refuses')
  }
  if (text === undefined) throw optionFailure('json', JSON_VALUE, describe(json))
  return text
}

/** @param isSafe - Of a GET or HEAD, which have none. @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export function encodeBody({ method, json, body }: HttpRequest, isSafe: boolean): EncodedBody {
  const isJson = json !== undefined
  if (isSafe && (isJson || body !== undefined)) {
    throw optionFailure('body', `none with ${method}`, 'one')
  }
  if (isJson && body !== undefined) throw optionFailure('body', 'none together with json', 'both')
  const secrets: string[] = []
  const given: unknown = isJson ? jsonText(json, secrets) : (body ?? '')
  if (typeof given === 'string') return { body: given ? utf8Encode(given) : undefined, secrets }
  if (!(given instanceof Uint8Array)) {
    throw optionFailure('body', 'a string or a Uint8Array', describe(given))
  }
  // A copy: the caller may reuse its buffer while the request is repeated.
  return { body: given.length ? new Uint8Array(given) : undefined, secrets }
}

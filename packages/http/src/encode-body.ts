/**
 * The bytes of a request's body, made once: they are signed, and these very bytes are sent.
 *
 * JSON is compact, and `<`, `>` and `&` stand as they are (specification, "Request signature").
 */
import { describe, revealSecret, utf8Encode } from '@brokerwire/core'
import { optionFailure } from './http-error.ts'
import type { HttpRequest } from './request.ts'

/** A body, ready to be signed. */
export interface EncodedBody {
  /** `undefined` where there is none: an empty body has no digest. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  readonly contentType: string | undefined
  /** Secret texts in the body: what the service says about the request must not carry them into a log. */
  readonly secrets: readonly string[]
}

const JSON_VALUE = 'a value that JSON can hold'

const secretOf = (value: unknown): string | undefined =>
  typeof value === 'object' ? revealSecret(value) : undefined

function encodeJson(json: unknown): EncodedBody {
  const secrets: string[] = []
  let text: string | undefined
  try {
    text = JSON.stringify(json, function (this: unknown, key: string, value: unknown): unknown {
      // `value` is what the secret's own toJSON made of it, a placeholder; the holder still has the secret. Or it is
      // a secret that the toJSON of something else gave.
      const original = (this as Record<string, unknown>)[key]
      const secret = [original, value].map(secretOf).find((text) => text !== undefined)
      if (secret === undefined) return value
      secrets.push(secret)
      return secret
    })
  } catch {
    throw optionFailure('json', JSON_VALUE, 'one with a cycle, a bigint or a toJSON that throws')
  }
  if (text === undefined) throw optionFailure('json', JSON_VALUE, describe(json))
  return { bytes: utf8Encode(text), contentType: 'application/json', secrets }
}

/** @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export function encodeBody({ method, json, body }: HttpRequest): EncodedBody {
  const none = json === undefined && body === undefined
  if (!none && (method === 'GET' || method === 'HEAD')) {
    throw optionFailure('body', `none with ${method}`, 'one')
  }
  if (json !== undefined) {
    if (body !== undefined) throw optionFailure('body', 'none together with json', 'both')
    return encodeJson(json)
  }
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw optionFailure('body', 'a string or a Uint8Array', describe(body))
  }
  if (body === undefined || body.length === 0)
    return { bytes: undefined, contentType: undefined, secrets: [] }
  // A copy: the caller may reuse its buffer while the request is repeated.
  const bytes = typeof body === 'string' ? utf8Encode(body) : new Uint8Array(body)
  return { bytes, contentType: undefined, secrets: [] }
}

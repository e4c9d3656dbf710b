/**
 * The encoded body of a request. It is encoded once: the same bytes are signed and sent.
 *
 * JSON is compact, and `<`, `>` and `&` are not escaped (specification, "Request signature").
 */
import { typeName, utf8Encode } from '@brokerwire/core/internal'
import { optionFailure } from './http-error.ts'
import { serializeJson } from './json.ts'
import type { HttpRequest } from './request.ts'

/** An encoded body. */
export interface EncodedBody {
  /**
   * The bytes of the body. `undefined` if the body is empty, because an empty body has no digest in the
   * signature.
   */
  readonly body: Uint8Array<ArrayBuffer> | undefined
  /** Secrets in the body. The service may quote them in its messages. */
  readonly secrets: readonly string[]
}

/**
 * Encodes the body of a request.
 * @param isSafe - Whether the method is GET or HEAD, which have no body.
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`
 */
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
  const content: unknown = hasJson ? serializeJson(json, secrets) : body === undefined ? '' : body
  if (typeof content === 'string') return { body: content ? utf8Encode(content) : undefined, secrets }
  if (!(content instanceof Uint8Array))
    throw optionFailure('body', 'a string or a Uint8Array', typeName(content))
  // A copy, because the caller may reuse its buffer while the request is retried.
  return { body: content.length ? new Uint8Array(content) : undefined, secrets }
}

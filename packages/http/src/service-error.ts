/**
 * What the service says about a refusal: `{"error_code", "message"}`, older ones `code` and `msg`, gateways only a
 * message or no JSON at all. Whatever it is, the status decides; this only adds words.
 */
import { printable, type Redactor } from '@brokerwire/core'
import { parseJsonObject, utf8Decode } from '@brokerwire/core/internal'

/** The service's words. */
export interface ServiceError {
  readonly code: string | undefined
  readonly message: string | undefined
}

const MAX_CODE_LENGTH = 100
const MAX_MESSAGE_LENGTH = 500
/** A message is not looked at beyond: escapes and secrets may be longer than what they become. */
const MAX_LOOKED_AT = 4096

/**
 * A text of the service as it may be shown: without secrets of the request, without characters that steer, and not
 * too long. In this order, because half a secret would not be recognized.
 */
export function showable(text: string, maxLength: number, redact: Redactor): string {
  return printable(redact(text.trim(), MAX_LOOKED_AT), maxLength)
}

function readText(values: readonly unknown[], maxLength: number, redact: Redactor): string | undefined {
  for (const value of values) {
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text === 'string' && text.trim()) return showable(text, maxLength, redact)
  }
  return undefined
}

/**
 * Reads an error body. Never throws.
 *
 * @param redact - Takes secrets of the request out: a service may quote what it refuses.
 */
export function readServiceError(bytes: Uint8Array | undefined, redact: Redactor): ServiceError {
  const text = bytes && utf8Decode(bytes)?.replace(/^\ufeff/, '')
  const json = parseJsonObject(text) ?? {}
  return {
    code: readText([json.error_code, json.code], MAX_CODE_LENGTH, redact),
    message: readText([json.message, json.msg], MAX_MESSAGE_LENGTH, redact),
  }
}

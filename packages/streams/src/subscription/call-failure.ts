/**
 * Descriptions of failed calls, for errors and notices. They are short and printable, and contain no secret
 * of the request in any encoding.
 */
import { createRedactor, escapeControlChars } from '@brokerwire/core'
import { Code, ConnectError } from '@connectrpc/connect'
import type { CallFailure } from '../supervisor/machine-types.ts'
import { type GrpcStatus, grpcStatusName } from '../supervisor/status.ts'

/** Removes secrets and control characters from a text of the service or the network, and shortens it. */
export type Redact = (text: string) => string

const MAX_LENGTH = 200
/** Maximum number of errors of a `cause` chain that are searched for a system code. */
const MAX_CAUSES = 8
/**
 * Length of the longest text that is searched for secrets. The escape of one character has up to ten
 * characters.
 */
const MAX_SEARCHED_LENGTH = 10 * MAX_LENGTH

/** The secrets of the last two requests of a stream. */
export class RequestSecrets {
  #last: readonly string[] = []
  #redactor = createRedactor([])

  /**
   * Adds a request. Only the secrets of the last two requests are kept.
   * @param secrets - Signature, nonce and token.
   */
  add(secrets: readonly string[]): void {
    this.#redactor = createRedactor([...secrets, ...this.#last])
    this.#last = secrets
  }

  readonly redact: Redact = (text) =>
    escapeControlChars(this.#redactor(text, MAX_SEARCHED_LENGTH), MAX_LENGTH)
}

/**
 * Returns the status of a failed call. Without `grpc-status`, Connect chose the code itself, and two of its
 * codes mislead: INVALID_ARGUMENT for an envelope that was cut off, and CANCELLED for a lost connection,
 * because Node then resets the streams of the connection. Calls that this side cancels are not handled here.
 */
function statusOf(error: ConnectError): GrpcStatus {
  if (!error.metadata.has('grpc-status')) {
    if (error.code === Code.InvalidArgument) return 'internal'
    if (error.code === Code.Canceled) return 'unavailable'
  }
  return grpcStatusName(error.code)
}

/** Converts the error of a call. @param host - The address of the attempt, `host:port`. */
export function toCallFailure(error: unknown, redact: Redact, host?: string): CallFailure {
  const connectError = ConnectError.from(error)
  const serverMessage = redact(connectError.rawMessage) || undefined
  return { status: statusOf(connectError), serverMessage, systemCode: systemCodeOf(connectError), host }
}

function systemCodeOf(error: unknown): string | undefined {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const code = 'code' in current ? current.code : undefined
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code)) return code
    current = current.cause
  }
  return undefined
}

/**
 * What a service or a network said, as errors and notices show it: free of the secrets that were sent, however they are
 * encoded, printable, and short.
 */
import { createRedactor, printable } from '@brokerwire/core'
import { Code, ConnectError } from '@connectrpc/connect'
import type { CallFailure } from '../supervisor/machine-types.ts'
import { type GrpcStatus, grpcStatusName } from '../supervisor/status.ts'

/** Makes a text of somebody else's one that may be shown. */
export type Shown = (text: string) => string

const MAX_LENGTH = 200
/** An error and its causes are looked at up to here. */
const MAX_CAUSES = 8
/** An escape of one character is up to ten long; more than so much is not looked at. */
const MAX_LOOKED_AT = 10 * MAX_LENGTH

export class SentSecrets {
  #last: readonly string[] = []
  #redact = createRedactor([])

  /** @param secrets - Signature, nonce, token. Those of the attempt before stay hidden too: what a service says may be late. */
  add(secrets: readonly string[]): void {
    this.#redact = createRedactor([...secrets, ...this.#last])
    this.#last = secrets
  }

  readonly shown: Shown = (text) => printable(this.#redact(text, MAX_LOOKED_AT), MAX_LENGTH)
}

/**
 * Only a status in the trailers is the service's own. Of what Connect finds out by itself two are misleading: an
 * envelope that breaks off gets INVALID_ARGUMENT, as if the request had been refused, and a lost connection gets
 * CANCELLED, because Node resets its streams so. What we cancel ourselves never comes here.
 */
function statusOf(error: ConnectError): GrpcStatus {
  if (!error.metadata.has('grpc-status')) {
    if (error.code === Code.InvalidArgument) return 'internal'
    if (error.code === Code.Canceled) return 'unavailable'
  }
  return grpcStatusName(error.code)
}

/** @param shown - Takes out what must not be shown. @param host - Where it was to connect to. */
export function describeFailure(error: unknown, shown: Shown, host?: string): CallFailure {
  const connectError = ConnectError.from(error)
  const serverMessage = shown(connectError.rawMessage) || undefined
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

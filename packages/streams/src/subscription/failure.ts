/** What a failed RPC says, free of anything secret. */
import { Code, ConnectError } from '@connectrpc/connect'
import type { CallFailure } from '../supervisor/machine-types.ts'
import { type GrpcStatus, grpcStatusName } from '../supervisor/status.ts'
import type { Shown } from './shown.ts'

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
  const status = statusOf(connectError)
  const serverMessage = shown(connectError.rawMessage) || undefined
  return { status, serverMessage, systemCode: systemCodeOf(connectError), host }
}

function systemCodeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(at.code)) return at.code
  }
  return undefined
}

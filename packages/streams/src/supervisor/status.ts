/**
 * What a gRPC status means for the next attempt.
 *
 * UNAVAILABLE, INTERNAL and UNKNOWN are what the service's public clients retry (facts, Streams). The rest follows
 * from the meaning that gRPC gives each code.
 */

/** Names of the gRPC codes, lower case with underscores, in the order of their numbers. */
const NAMES = [
  'ok',
  'cancelled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
] as const

/** A gRPC status by name. */
export type GrpcStatus = (typeof NAMES)[number]

/** The name of a code. A number that gRPC does not define counts as `unknown`, as gRPC itself has it. */
export function grpcStatusName(code: number): GrpcStatus {
  return NAMES[code] ?? 'unknown'
}

/**
 * - `retry`: a fault of the way; again, at once the first time.
 * - `hold`: the service may be overloaded; again, but never at once.
 * - `auth`: the credentials.
 * - `request`: what was asked for; before SubscribeSuccess, asking again changes nothing.
 */
export type StatusClass = 'retry' | 'hold' | 'auth' | 'request'

/** Classifies a status. */
export function classifyStatus(status: GrpcStatus): StatusClass {
  switch (status) {
    case 'unauthenticated':
    case 'permission_denied':
      return 'auth'
    case 'invalid_argument':
    case 'not_found':
    case 'already_exists':
    case 'failed_precondition':
    case 'out_of_range':
    case 'unimplemented':
      return 'request'
    case 'resource_exhausted':
    case 'data_loss':
      return 'hold'
    default:
      return 'retry'
  }
}

/** Whether a status, received before SubscribeSuccess for a request with a cursor, refuses the cursor. */
export function refusesCursor(status: GrpcStatus): boolean {
  return ['invalid_argument', 'not_found', 'failed_precondition', 'out_of_range'].includes(status)
}

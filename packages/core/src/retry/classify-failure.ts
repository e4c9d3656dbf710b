/**
 * The classification of failures as a pure function, with one table for HTTP calls and gRPC streams. A
 * failure that another attempt would not change is final only if the same call has never succeeded. For
 * example, a proxy that reloads, or a rolling deployment, responds with 404 or UNIMPLEMENTED for a short
 * time.
 */

/**
 * Class of a failure:
 * - `transient`: caused by the network, or by the load of the service. A later attempt may succeed.
 * - `final`: the request itself is rejected. Another attempt would not change that.
 * - `unknown`: the failure may be transient or final. {@link nextRetry} limits the attempts.
 */
export type FailureClass = 'transient' | 'final' | 'unknown'

/** Classes of the gRPC statuses of a call that has never succeeded, in the order of the status numbers. */
export const GRPC_STATUS_CLASSES = {
  ok: 'transient',
  cancelled: 'transient',
  unknown: 'transient',
  invalid_argument: 'final',
  deadline_exceeded: 'transient',
  not_found: 'final',
  already_exists: 'final',
  permission_denied: 'final',
  resource_exhausted: 'transient',
  failed_precondition: 'final',
  aborted: 'transient',
  out_of_range: 'final',
  unimplemented: 'final',
  internal: 'transient',
  unavailable: 'transient',
  data_loss: 'transient',
  unauthenticated: 'final',
} as const satisfies Readonly<Record<string, FailureClass>>

/** A gRPC status by name. */
export type GrpcStatusName = keyof typeof GRPC_STATUS_CLASSES

/** Error codes of the service that determine the class, whatever the status is. */
const CODE_CLASSES: Readonly<Record<string, FailureClass>> = {
  TOO_MANY_REQUESTS: 'transient',
  SERVICE_NOT_AVAILABLE: 'transient',
  GATEWAY_TIMEOUT: 'transient',
  INTERNAL_ERROR: 'transient',
  INTERNAL_SERVER_ERROR: 'transient',
  SYSTEM_ERROR: 'transient',
  INVALID_PARAMETER: 'final',
  OPENAPI_PARAM_ERR: 'final',
  UNSUPPORTED_CATEGORY: 'final',
  UNSUPPORTED_SUB_TYPE: 'final',
}

/** A failed call. */
export interface Failure {
  /** HTTP status, or the name of a gRPC status. `undefined` if there was no response. */
  readonly status: number | GrpcStatusName | undefined
  /** The service's error code. */
  readonly code?: string | undefined
  /** Whether the same call or subscription has succeeded before. */
  readonly workedBefore: boolean
}

/**
 * Classifies a failure.
 *
 * @example
 * ```ts
 * import { classifyFailure } from '@brokerwire/core/internal'
 *
 * console.log(classifyFailure({ status: 404, workedBefore: false })) // final
 * console.log(classifyFailure({ status: 'unimplemented', workedBefore: true })) // unknown
 * ```
 */
export function classifyFailure({ status, code, workedBefore }: Failure): FailureClass {
  const found = classOfCode(code) ?? classOfStatus(status)
  return found === 'final' && workedBefore ? 'unknown' : found
}

/** Whether a status means that the service rejected the credentials. */
export function isCredentialStatus(status: Failure['status']): boolean {
  return status === 401 || status === 403 || status === 'unauthenticated' || status === 'permission_denied'
}

function classOfCode(code: string | undefined): FailureClass | undefined {
  return code !== undefined && Object.hasOwn(CODE_CLASSES, code) ? CODE_CLASSES[code] : undefined
}

function classOfStatus(status: Failure['status']): FailureClass {
  if (typeof status === 'string') return GRPC_STATUS_CLASSES[status]
  return status === undefined ? 'transient' : classOfHttpStatus(status)
}

function classOfHttpStatus(status: number): FailureClass {
  // 408 Request Timeout, 425 Too Early, 429 Too Many Requests.
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'transient'
  // 409 Conflict may end without a change of the request. The service uses 417 with all kinds of error codes.
  return status === 409 || status === 417 ? 'unknown' : 'final'
}

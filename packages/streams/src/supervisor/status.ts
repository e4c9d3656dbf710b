/**
 * What a gRPC status means for the next attempt. UNAVAILABLE, INTERNAL and UNKNOWN are what the service's public clients
 * retry (facts, Streams); the rest follows from the meaning that gRPC gives each code.
 */

/**
 * By name, in the order of their numbers:
 *
 * - `retry`: a fault of the way; again, at once the first time.
 * - `hold`: the service may be overloaded; again, but never at once.
 * - `auth`: the credentials.
 * - `request`: what was asked for; before SubscribeSuccess, asking again changes nothing.
 * - `cursor`: the same; where a cursor was sent, it may be that.
 */
export const MEANINGS = {
  ok: 'retry',
  cancelled: 'retry',
  unknown: 'retry',
  invalid_argument: 'cursor',
  deadline_exceeded: 'retry',
  not_found: 'cursor',
  already_exists: 'request',
  permission_denied: 'auth',
  resource_exhausted: 'hold',
  failed_precondition: 'cursor',
  aborted: 'retry',
  out_of_range: 'cursor',
  unimplemented: 'request',
  internal: 'retry',
  unavailable: 'retry',
  data_loss: 'hold',
  unauthenticated: 'auth',
} as const

/**
 * Whether the service refused a subscription because it grants one for each app key, which is taken (facts, "One trade
 * subscription"). The status says the same of other limits, so the text decides.
 */
export function isSubscriptionTaken(status: GrpcStatus, serverMessage: string | undefined): boolean {
  return status === 'resource_exhausted' && /already has an active subscription/i.test(serverMessage ?? '')
}

/** A gRPC status by name. */
export type GrpcStatus = keyof typeof MEANINGS

/** The name of a code. A number that gRPC does not define counts as `unknown`, as gRPC itself has it. */
export function grpcStatusName(code: number): GrpcStatus {
  return (Object.keys(MEANINGS) as GrpcStatus[])[code] ?? 'unknown'
}

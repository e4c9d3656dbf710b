/** The gRPC statuses that streams know. What they mean for the next attempt is core's to say. */
import { GRPC_STATUS_CLASSES } from '@brokerwire/core/internal'

/** A gRPC status by name. */
export type GrpcStatus = keyof typeof GRPC_STATUS_CLASSES

/** The name of a code. A number that gRPC does not define counts as `unknown`, as gRPC itself has it. */
export function grpcStatusName(code: number): GrpcStatus {
  return (Object.keys(GRPC_STATUS_CLASSES) as GrpcStatus[])[code] ?? 'unknown'
}

/**
 * Whether the service refused a subscription because it grants one for each app key, which is taken (facts, "One trade
 * subscription"). The status says the same of other limits, so the text decides.
 */
export function isSubscriptionTaken(status: GrpcStatus, serverMessage: string | undefined): boolean {
  return status === 'resource_exhausted' && /already has an active subscription/i.test(serverMessage ?? '')
}

/** The service may be overloaded: the next attempt is never made at once. */
export const OVERLOAD_STATUSES: ReadonlySet<GrpcStatus> = new Set(['resource_exhausted', 'data_loss'])

/** If a cursor was sent, it may be what is refused. */
export const CURSOR_STATUSES: ReadonlySet<GrpcStatus> = new Set([
  'invalid_argument',
  'not_found',
  'failed_precondition',
  'out_of_range',
])

/** Those of them that no proxy sends: it is the cursor. */
export const ONLY_CURSOR_STATUSES: ReadonlySet<GrpcStatus> = new Set(['failed_precondition', 'out_of_range'])

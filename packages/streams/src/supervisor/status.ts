/** Names and groups of gRPC statuses. Core decides which of them are final. */
import { GRPC_STATUS_CLASSES } from '@brokerwire/core/internal'

/** A gRPC status by name. */
export type GrpcStatus = keyof typeof GRPC_STATUS_CLASSES

/** Returns the name of a status code; `unknown` for a number that gRPC does not define, as the gRPC specification requires. */
export function grpcStatusName(code: number): GrpcStatus {
  return (Object.keys(GRPC_STATUS_CLASSES) as GrpcStatus[])[code] ?? 'unknown'
}

/**
 * Whether the service refused a subscription because the app key already has the only subscription that it
 * may have (docs/facts.md, "One trade subscription"). The status is the same for other limits, so the message
 * decides.
 */
export function isSubscriptionTaken(status: GrpcStatus, serverMessage: string | undefined): boolean {
  return status === 'resource_exhausted' && /already has an active subscription/i.test(serverMessage ?? '')
}

/** Statuses of a service that may be overloaded. The next attempt always has a delay. */
export const OVERLOAD_STATUSES: ReadonlySet<GrpcStatus> = new Set(['resource_exhausted', 'data_loss'])

/** Statuses with which a service may reject the cursor of a request. */
export const CURSOR_STATUSES: ReadonlySet<GrpcStatus> = new Set([
  'invalid_argument',
  'not_found',
  'failed_precondition',
  'out_of_range',
])

/** The statuses of `CURSOR_STATUSES` that no proxy sends. They show that the service rejected the cursor. */
export const ONLY_CURSOR_STATUSES: ReadonlySet<GrpcStatus> = new Set(['failed_precondition', 'out_of_range'])

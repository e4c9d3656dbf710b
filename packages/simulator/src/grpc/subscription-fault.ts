/** What can be done to a subscription instead of serving it. */
import { Code } from '@connectrpc/connect'

/** The two services. */
export const STREAM_SERVICES = ['trade', 'module'] as const

/** One of them. */
export type StreamService = (typeof STREAM_SERVICES)[number]

/**
 * - `auth-error`, `connection-limit`, `expired`: that control frame, then the end.
 * - `unknown-control`: a control frame with a number that neither service knows, then the end.
 * - `end`: a clean end before SubscribeSuccess.
 * - `no-success`: events without a SubscribeSuccess before them.
 * - `hang`: no answer at all, until the client leaves.
 * - `unavailable`, `internal`, `unknown`, `unauthenticated`, `permission-denied`, `resource-exhausted`: the gRPC status.
 */
export const SUBSCRIPTION_FAULTS = [
  'auth-error',
  'connection-limit',
  'expired',
  'unknown-control',
  'end',
  'no-success',
  'hang',
  'unavailable',
  'internal',
  'unknown',
  'unauthenticated',
  'permission-denied',
  'resource-exhausted',
] as const

/** Faults of one subscription. */
export type SubscriptionFault = (typeof SUBSCRIPTION_FAULTS)[number]

/** gRPC codes of the faults that end with one. */
export const FAULT_CODES: Readonly<Partial<Record<SubscriptionFault, Code>>> = {
  unavailable: Code.Unavailable,
  internal: Code.Internal,
  unknown: Code.Unknown,
  unauthenticated: Code.Unauthenticated,
  'permission-denied': Code.PermissionDenied,
  'resource-exhausted': Code.ResourceExhausted,
}

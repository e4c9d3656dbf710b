/** Faults of a subscription. */
import { Code } from '@connectrpc/connect'

/** The two services. */
export const STREAM_SERVICES = ['trade', 'module'] as const

/** One of the two services. */
export type StreamService = (typeof STREAM_SERVICES)[number]

/**
 * - `auth-error`, `connection-limit`, `expired`: sends this control frame, then closes the stream.
 * - `unknown-control`: sends a control frame with a number that neither service defines, then closes the
 * stream.
 * - `end`: closes the stream cleanly before SubscribeSuccess.
 * - `no-success`: sends events without SubscribeSuccess.
 * - `hang`: sends nothing until the client disconnects.
 * - `unavailable`, `internal`, `unknown`, `unauthenticated`, `permission-denied`, `resource-exhausted`:
 * closes the stream with this gRPC status.
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

/** gRPC codes of the faults that close the stream with a status. */
export const FAULT_CODES: Readonly<Partial<Record<SubscriptionFault, Code>>> = {
  unavailable: Code.Unavailable,
  internal: Code.Internal,
  unknown: Code.Unknown,
  unauthenticated: Code.Unauthenticated,
  'permission-denied': Code.PermissionDenied,
  'resource-exhausted': Code.ResourceExhausted,
}

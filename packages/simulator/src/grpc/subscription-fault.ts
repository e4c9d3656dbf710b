/** What can be done to a subscription instead of serving it, and the faults that wait for their turn. */
import { Code } from '@connectrpc/connect'
import type { FrameFault } from './frame-fault.ts'

/** The two services. */
export type StreamService = 'trade' | 'module'

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

/** Faults in waiting, first come first served. */
export interface FaultQueue<F> {
  /** @param service - `undefined`: whichever comes first. */
  add(fault: F, service: StreamService | undefined, count: number): void
  take(service: StreamService): F | undefined
  clear(): void
  readonly size: number
}

/** Makes an empty queue. */
export function createFaultQueue<F extends SubscriptionFault | FrameFault>(): FaultQueue<F> {
  let waiting: { readonly fault: F; readonly service: StreamService | undefined }[] = []
  return {
    add(fault, service, count) {
      for (let left = count; left > 0; left -= 1) waiting.push({ fault, service })
    },
    take(service) {
      const index = waiting.findIndex((item) => item.service === undefined || item.service === service)
      return index < 0 ? undefined : waiting.splice(index, 1)[0]?.fault
    },
    clear() {
      waiting = []
    },
    get size() {
      return waiting.length
    },
  }
}

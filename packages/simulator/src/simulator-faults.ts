/** Faults that a test injects into requests, subscriptions and frames. */
import type { FaultCount } from './fault-queue.ts'
import type { FrameFault } from './grpc/frame-fault.ts'
import type { StreamService, SubscriptionFault } from './grpc/subscription-fault.ts'
import type { HttpFault } from './http/http-fault.ts'

/** Selection of the streams of one service. */
export interface StreamSelection {
  /** The service of the streams. @defaultValue both */
  readonly service?: StreamService | undefined
}

/** Number of injections of a fault. */
export interface FaultOptions {
  /**
   * Number of injections. `'always'` injects the fault until the faults are cleared. Counted faults have
   * precedence.
   * @defaultValue 1
   */
  readonly count?: FaultCount | undefined
}

/**
 * Injects faults. A fault is pending until a request, subscription or frame matches it. By default it is
 * injected once.
 */
export interface SimulatorFaults {
  /** Injects a fault into the next HTTP request. */
  nextHttp(
    fault: HttpFault,
    options?: FaultOptions & {
      /** Only requests with this path, or with one of these paths. @defaultValue any path */
      readonly path?: string | readonly string[] | undefined
    },
  ): void
  /** Injects a fault into the next subscription. */
  nextSubscription(fault: SubscriptionFault, options?: FaultOptions & StreamSelection): void
  /** Injects a fault into the next data frame. Control frames are not affected. */
  nextFrame(fault: FrameFault, options?: FaultOptions & StreamSelection): void
  /** Removes all pending faults. */
  clear(): void
}

/** The simulator in the caller's hand. */
import type { AsyncDisposableLike, Clock, Secret } from '@brokerwire/core'
import type { SimulatedApp } from './apps/simulated-app.ts'
import type { FaultTimes } from './fault-queue.ts'
import type { ControlKind } from './grpc/dialect.ts'
import type { FrameFault } from './grpc/frame-fault.ts'
import type { OpenSubscription } from './grpc/stream-hub.ts'
import type { StreamService, SubscriptionFault } from './grpc/subscription-fault.ts'
import type { HttpFault } from './http/http-fault.ts'
import type { QuotesControls } from './quotes/quotes-controls.ts'
import type { LoggedRequest, LoggedRequestWithBody } from './request-log.ts'
import type { Route, RouteHandler, RouteOptions } from './routes/route-table.ts'
import type { ScenarioRun } from './scenario/runner.ts'
import type { Scenario, ScenarioName } from './scenario/scenario.ts'
import type { SimulatorWaits } from './waiting/simulator-waits.ts'

/** Which service a call is about. */
export interface StreamSelection {
  /** @defaultValue both */
  readonly service?: StreamService | undefined
}

/** gRPC statuses that a stream can be ended with. */
export type StreamStatus =
  | 'cancelled'
  | 'unknown'
  | 'deadline-exceeded'
  | 'permission-denied'
  | 'resource-exhausted'
  | 'aborted'
  | 'internal'
  | 'unavailable'
  | 'unauthenticated'

/** How often a fault strikes. */
export interface FaultCount {
  /** `'always'`: until the faults are cleared; faults that are counted go before. @defaultValue 1 */
  readonly count?: FaultTimes | undefined
}

/** Misbehaviour on request. Faults wait for their turn and strike once each. */
export interface SimulatorFaults {
  /** Of the next HTTP request. @param options.path - Only of requests to this path. */
  nextHttp(fault: HttpFault, options?: FaultCount & { readonly path?: string | undefined }): void
  /** Of the next subscription. */
  nextSubscription(fault: SubscriptionFault, options?: FaultCount & StreamSelection): void
  /** Of the next data frame. Control frames are never struck. */
  nextFrame(fault: FrameFault, options?: FaultCount & StreamSelection): void
  /** Forgets the faults that have not struck. */
  clear(): void
}

/** What can be done to open streams and their connections. */
export interface StreamControls {
  /**
   * Breaks the connections of the streams without a word. On a shared port, those of the other service too.
   *
   * @returns Subscriptions of the selection that were lost.
   */
  dropConnections(selection?: StreamSelection): number
  /** `false`: new connections to the streams are broken at once. */
  setReachable(reachable: boolean, selection?: StreamSelection): void
  /** Sends GOAWAY; streams that are open go on. On a shared port, to those of the other service too. @returns Sessions. */
  goaway(options?: StreamSelection & { readonly http2Code?: number | undefined }): number
  /** Ends the streams with RST_STREAM. @defaultValue http2Code 2 (INTERNAL_ERROR) @returns Streams. */
  resetStreams(options?: StreamSelection & { readonly http2Code?: number | undefined }): number
  /** Ends the streams after what was sent: cleanly, or with a gRPC status. @returns Streams. */
  endStreams(
    options?: StreamSelection & {
      /** @defaultValue a clean end */
      readonly status?: StreamStatus | undefined
      readonly message?: string | undefined
    },
  ): number
  /** Sends SubscribeExpired and ends the streams. @returns Streams. */
  expireSubscriptions(selection?: StreamSelection): number
  /** Sends a control frame and ends the streams. @returns Streams. */
  sendControl(kind: ControlKind, selection?: StreamSelection): number
  /**
   * Stops sending. `'events'`: pings go on, as on a stream that looks alive and delivers nothing. `'all'`: nothing is
   * sent, connections stay open. New subscriptions still get their SubscribeSuccess, and are as silent as the others.
   *
   * @defaultValue what 'all'
   * @returns Streams.
   */
  silence(what?: 'all' | 'events', selection?: StreamSelection): number
  /** Sends again. `skipEvents`: what happened in between is lost. @defaultValue skipEvents false @returns Streams. */
  resume(options?: StreamSelection & { readonly skipEvents?: boolean | undefined }): number
  /** Sends a ping on every subscription now. @returns Streams. */
  pingNow(selection?: StreamSelection): number
}

/** Options of {@link Simulator.advance}. */
export interface AdvanceOptions {
  /** How many steps of a scenario are carried out at most, 0 to 1,000,000. @defaultValue 10000 */
  readonly scenarioSteps?: number | undefined
}

/** What happened while the clock was moved on. */
export interface Advanced {
  /** The clock's time afterwards. Milliseconds since the Unix epoch. */
  readonly now: number
  /** Events that were made, of all apps. */
  readonly events: number
  /** Steps of the scenario that were carried out. */
  readonly scenarioSteps: number
  /** Milliseconds at the end for which the scenario stood still, because it had carried out as many steps as it may. */
  readonly scenarioHeldMs: number
}

/** A local simulator of the service. Of an app it is itself the first one; the others are in `apps`. */
export interface Simulator extends SimulatedApp, SimulatorWaits, StreamControls, AsyncDisposableLike {
  /** All of its apps. */
  readonly apps: readonly SimulatedApp[]
  /** One of them, by its name or its app key. @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID` */
  app(nameOrKey: string): SimulatedApp
  /** Origin of the HTTP endpoints. */
  readonly httpUrl: string
  /** Origin of the trade and position streams. */
  readonly eventsUrl: string
  /** Origin of the module stream. */
  readonly moduleEventsUrl: string
  /** Market data; `undefined` without the option `quotes`. */
  readonly quotes: QuotesControls | undefined
  /** Where other processes on this machine steer it; `undefined` without the option `control`. */
  readonly controlUrl: string | undefined
  /** What they need for that. Drawn by the host's cryptographic source. */
  readonly controlToken: Secret
  /**
   * Origin of the console; `undefined` without the option `console`. A browser opens it at
   * `${consoleUrl}/#token=${consoleToken.reveal()}`.
   */
  readonly consoleUrl: string | undefined
  /** What opens the console. Drawn by the host's cryptographic source, or kept by the state file. */
  readonly consoleToken: Secret
  readonly clock: Clock

  /**
   * Moves the clock on by `ms`, timer by timer, and returns when every client in this process has read what was sent and
   * nothing that it began is on its way any more. It sets no timer and polls nothing. A client in another process is not
   * waited for; one that does not read, or asks without a pause, only once.
   *
   * What time decides (validity of tokens, windows, slots) is exact however far it moves. A scenario carries out so many
   * of its steps at most, then stands still and goes on after the move.
   *
   * @throws SimulatorError `SIMULATOR_CLOCK_FIXED` where the option `clock` gave one that cannot be moved
   */
  advance(ms: number, options?: AdvanceOptions): Promise<Advanced>
  /** The same without moving the clock. */
  settled(): Promise<void>

  /** Starts a scenario; one that runs is stopped. @defaultValue scenario the option's, else `'lifecycles'` */
  startScenario(
    scenario?: ScenarioName | Scenario,
    options?: { readonly intervalMs?: number | undefined },
  ): ScenarioRun
  stopScenario(): void

  readonly faults: SimulatorFaults

  /** Subscriptions that are open, of all apps. */
  subscriptions(): readonly OpenSubscription[]
  /**
   * Serves an endpoint of your own, behind the checks of signature, version and access token. A later route goes before
   * an earlier one of the same method and path.
   *
   * @param method - GET, HEAD, POST, PUT, PATCH or DELETE.
   * @param path - Such as `/openapi/orders/:id`: a part behind a colon stands for any text, which is in `params`.
   */
  route<Body = unknown>(
    method: string,
    path: string,
    handler: RouteHandler<Body>,
    options?: RouteOptions<Body>,
  ): Route

  /** What arrived, oldest first: no secret, no header values, no bodies. */
  requests(options?: { readonly bodies?: false | undefined }): readonly LoggedRequest[]
  /** The same with the bodies of HTTP requests, which may hold tokens. They count towards what the log keeps. */
  requests(options: { readonly bodies: true }): readonly LoggedRequestWithBody[]
  /** Counts, for a person or another process. No secret. */
  state(): Readonly<Record<string, unknown>>
  /**
   * Ends in good order, as on SIGTERM: takes no more connections, says so at `/healthz`, ends streams after what was sent,
   * lets answers on their way out, and closes; after `timeoutMs` in any case. @defaultValue timeoutMs 10000
   */
  drain(options?: { readonly timeoutMs?: number | undefined }): Promise<void>
  /** Ends at once, with streams open. Harmless when called again. */
  close(): Promise<void>
}

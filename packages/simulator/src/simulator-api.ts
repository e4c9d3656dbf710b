/** The public interface of a simulator. */
import type { AsyncDisposableLike, Clock, Secret } from '@brokerwire/core'
import type { SimulatedApp } from './apps/simulated-app.ts'
import type { ControlFrame } from './grpc/dialect.ts'
import type { OpenSubscription } from './grpc/stream-hub.ts'

import type { QuotesControls } from './quotes/quotes-controls.ts'
import type { LoggedRequest, LoggedRequestWithBody } from './request-log.ts'
import type { Route, RouteHandler, RouteOptions } from './routes/route-table.ts'
import type { ScenarioRun } from './scenario/runner.ts'
import type { Scenario, ScenarioName } from './scenario/scenario.ts'
import type { SimulatorFaults, StreamSelection } from './simulator-faults.ts'
import type { SimulatorWaits } from './waiting/simulator-waits.ts'

/** gRPC statuses that a stream can be closed with. */
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

/** Actions on open streams and their connections. */
export interface StreamControls {
  /**
   * Destroys the connections of the streams. On a shared port, the connections of the other service are
   * destroyed too.
   *
   * @returns Number of lost subscriptions in the selection.
   */
  dropConnections(selection?: StreamSelection): number
  /**
   * Sets whether clients can open new connections for streams. If not, new connections are destroyed
   * immediately.
   */
  setReachable(reachable: boolean, selection?: StreamSelection): void
  /**
   * Sends GOAWAY on each connection; open streams continue. On a shared port, connections of the other
   * service get it too.
   *
   * @returns Number of HTTP/2 sessions.
   */
  goaway(
    options?: StreamSelection & {
      /** HTTP/2 error code of the frame. @defaultValue 0 (NO_ERROR) */
      readonly http2Code?: number | undefined
    },
  ): number
  /** Resets the streams with RST_STREAM. @defaultValue http2Code 2 (INTERNAL_ERROR) @returns Number of streams. */
  resetStreams(
    options?: StreamSelection & {
      /** HTTP/2 error code of the frame. @defaultValue 2 (INTERNAL_ERROR) */
      readonly http2Code?: number | undefined
    },
  ): number
  /**
   * Closes the streams after they have sent the current entries of the log, with status OK or with another
   * gRPC status.
   *
   * @returns Number of streams.
   */
  endStreams(
    options?: StreamSelection & {
      /** The gRPC status with which the streams are closed. @defaultValue status OK */
      readonly status?: StreamStatus | undefined
      /** Message of the gRPC status. @defaultValue 'closed by the simulator' */
      readonly message?: string | undefined
    },
  ): number
  /** Sends SubscribeExpired and closes the streams. @returns Number of streams. */
  expireSubscriptions(selection?: StreamSelection): number
  /** Sends a control frame and closes the streams. @returns Number of streams. */
  sendControl(kind: ControlFrame, selection?: StreamSelection): number
  /**
   * Stops sending on the streams.
   * - With `'events'` only pings and control frames are sent, as on a stream that is alive but delivers
   * nothing.
   * - With `'all'` nothing is sent, but connections stay open.
   *
   * New subscriptions get SubscribeSuccess and are then silent in the same way.
   *
   * @defaultValue what 'all'
   * @returns Number of streams.
   */
  silence(what?: 'all' | 'events', selection?: StreamSelection): number
  /**
   * Ends a silence. @returns Number of streams.
   */
  resume(
    options?: StreamSelection & {
      /** Whether the events since `silence()` are skipped. If not, they are sent now. @defaultValue false */
      readonly skipEvents?: boolean | undefined
    },
  ): number
  /** Sends a ping on every subscription now. @returns Number of streams. */
  pingNow(selection?: StreamSelection): number
}

/** Options of {@link Simulator.advance}. */
export interface AdvanceOptions {
  /** Maximum number of executed scenario steps, 0 to 1,000,000. @defaultValue 10000 */
  readonly scenarioSteps?: number | undefined
}

/** Result of an advance of the clock. */
export interface AdvanceResult {
  /** The new time in milliseconds since the Unix epoch. */
  readonly now: number
  /** Number of events that were sent, in all apps together. */
  readonly events: number
  /** Number of executed scenario steps. */
  readonly scenarioSteps: number
  /**
   * Milliseconds at the end of the advance for which the scenario was paused, because it had reached its
   * limit of steps.
   */
  readonly scenarioPausedMs: number
}

/** A local simulator of the service. It also has the methods of its first app. All apps are in `apps`. */
export interface Simulator extends SimulatedApp, SimulatorWaits, StreamControls, AsyncDisposableLike {
  /** All apps of the simulator. */
  readonly apps: readonly SimulatedApp[]
  /** Returns an app by its name or app key. @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID` */
  app(nameOrKey: string): SimulatedApp
  /** Origin of the HTTP endpoints. */
  readonly baseUrl: string
  /** Origin of the trade and position streams. */
  readonly eventsUrl: string
  /** Origin of the module stream. */
  readonly moduleEventsUrl: string
  /** Actions on market data; `undefined` without the option `quotes`. */
  readonly quotes: QuotesControls | undefined
  /** Control address for other processes on this machine; `undefined` without the option `control`. */
  readonly controlUrl: string | undefined
  /** Bearer token of the control address. It is generated by the host's cryptographic source. */
  readonly controlToken: Secret
  /**
   * Origin of the console; `undefined` without the option `console`. A browser opens it at
   * `${consoleUrl}/#token=${consoleToken.reveal()}`.
   */
  readonly consoleUrl: string | undefined
  /**
   * Token that opens the console. It is generated by the host's cryptographic source, or restored from the
   * state file or the console file.
   */
  readonly consoleToken: Secret
  /** Clock of tokens, limits, pings, scenarios and timestamps. */
  readonly clock: Clock

  /**
   * Advances the clock by `ms`, timer by timer. Resolves when every client in this process has read
   * everything that was sent to it and has completed the work that it started. `advance()` sets no timer and
   * does not poll. It does not wait for a client in another process. It waits only once for a client that
   * does not read, or that sends requests without a pause.
   *
   * Results that depend on time (lifetimes of tokens, windows of rate limits, connection slots) are exact for
   * any `ms`. A scenario executes at most `scenarioSteps` steps, then pauses until the advance has ended.
   *
   * @throws SimulatorError `SIMULATOR_CLOCK_FIXED` if the clock of the option `clock` cannot be moved
   */
  advance(ms: number, options?: AdvanceOptions): Promise<AdvanceResult>
  /** Waits for clients as `advance()` does, without moving the clock. */
  waitForIdle(): Promise<void>

  /**
   * Starts a scenario and stops the running one.
   *
   * @defaultValue scenario the option `scenario`, else `'lifecycles'`
   */
  startScenario(
    scenario?: ScenarioName | Scenario,
    options?: {
      /** Milliseconds between two steps of a named scenario. @defaultValue the option scenarioIntervalMs */
      readonly intervalMs?: number | undefined
    },
  ): ScenarioRun
  /** Stops the running scenario, if there is one. */
  stopScenario(): void

  /** Injects faults into requests, subscriptions and frames. */
  readonly faults: SimulatorFaults

  /** Open subscriptions of all apps. */
  subscriptions(): readonly OpenSubscription[]
  /**
   * Adds an endpoint. Its handler is called after the checks of signature, version and access token. A later
   * route has precedence over an earlier one of the same method and path.
   *
   * @param method - GET, HEAD, POST, PUT, PATCH or DELETE.
   * @param path - Such as `/openapi/orders/:id`. A `:name` segment matches any non-empty string, which the
   * handler receives in `params`.
   */
  route<Body = unknown>(
    method: string,
    path: string,
    handler: RouteHandler<Body>,
    options?: RouteOptions<Body>,
  ): Route

  /** Returns the logged requests, oldest first. They contain no secrets, no header values and no bodies. */
  requests(options?: {
    /** Whether the bodies are included. @defaultValue false */
    readonly bodies?: false | undefined
  }): readonly LoggedRequest[]
  /**
   * Returns the logged requests with the bodies of HTTP requests, which may contain tokens. Bodies count
   * towards the maximum size of the log.
   */
  requests(options: { readonly bodies: true }): readonly LoggedRequestWithBody[]
  /** Returns counters for people and other processes, without secrets. */
  state(): Readonly<Record<string, unknown>>
  /**
   * Shuts down gracefully, as on SIGTERM. The simulator accepts no more connections, reports it at
   * `/healthz`, closes streams after they have sent the current entries of the log, and completes running
   * responses. After `timeoutMs` it closes in any case.
   * @defaultValue timeoutMs 10000
   */
  shutdown(options?: {
    /** Time limit, in milliseconds. @defaultValue 10000 */
    readonly timeoutMs?: number | undefined
  }): Promise<void>
  /** Closes immediately, even if streams are open. You can call it more than once. */
  close(): Promise<void>
}

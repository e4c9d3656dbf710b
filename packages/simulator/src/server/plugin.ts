/** Parts of a simulator that start only if an option enables them: market data, control, the console. */
import type { Hono, MiddlewareHandler } from 'hono'
import type { HttpEnv } from '../http/responses.ts'
import type { Simulator } from '../simulator-api.ts'
import type { StateRecord } from '../state/state-record.ts'

/** Checks that run before the handler of an endpoint. */
export interface HttpGates {
  /** Checks that the signature is valid and the app key is known. */
  readonly signed: MiddlewareHandler<HttpEnv>
  /**
   * If the app requires access tokens, checks that the request has a usable one. It must run after `signed`.
   */
  readonly authenticated: MiddlewareHandler<HttpEnv>
}

export interface SimulatorPlugin {
  /** Adds endpoints to the HTTP application. Called once, before `start()`. */
  addRoutes?(app: Hono<HttpEnv>, gates: HttpGates): void
  /** Yields the plugin's current records for a state file. */
  records?(): Iterable<StateRecord>
  /**
   * Opens the listeners of the plugin.
   *
   * @param simulator - The result of `startSimulator()`.
   */
  start(simulator: Simulator): Promise<void>
  /**
   * Stops the plugin. It is also called if `start()` failed or was not called. Listeners that the plugin
   * opened with `core.listeners` are closed by the simulator.
   */
  close(): Promise<void> | void
}

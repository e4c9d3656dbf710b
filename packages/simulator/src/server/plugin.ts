/** Parts of a simulator that run only if an option asks for them: market data, control, the console. */
import type { Hono, MiddlewareHandler } from 'hono'
import type { HttpEnv } from '../http/responses.ts'
import type { Simulator } from '../simulator-api.ts'
import type { StateRecord } from '../state/state-record.ts'

/** Checks that an endpoint puts before its handler. */
export interface HttpGates {
  /** The signature is right, and the app key is known. */
  readonly signed: MiddlewareHandler<HttpEnv>
  /** The request has a usable access token, if the app needs one. After `signed`. */
  readonly authenticated: MiddlewareHandler<HttpEnv>
}

export interface SimulatorPlugin {
  /** Adds endpoints to the HTTP application. Called once, before `start()`. */
  addRoutes?(app: Hono<HttpEnv>, gates: HttpGates): void
  /** The live records of the plug-in, for a state file. */
  records?(): Iterable<StateRecord>
  /** Opens the listeners of the plug-in. @param simulator - The result of `startSimulator()`. */
  start(simulator: Simulator): Promise<void>
  /** Stops the plug-in. Also called if `start()` failed or was not called. The simulator closes its own listeners. */
  close(): Promise<void> | void
}

/** Client of a simulator's control address, for other processes on this machine. */
import { Secret, type SecretInput } from '@brokerwire/core'
import {
  type FieldsOf,
  integer,
  isRecord,
  origin,
  readOptions,
  secret,
  typeName,
} from '@brokerwire/core/internal'
import type {
  ModuleEmission,
  OrderEmission,
  PositionEmission,
  RawModuleEmission,
  RawTradeEmission,
} from '../events/emissions.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import type { FaultCount } from '../fault-queue.ts'
import type { FrameFault } from '../grpc/frame-fault.ts'
import type { StreamService, SubscriptionFault } from '../grpc/subscription-fault.ts'
import type { HttpFault } from '../http/http-fault.ts'
import type { QuotesAction } from '../quotes/quotes-actions.ts'
import type { LoggedRequest } from '../request-log.ts'
import type { ScenarioName } from '../scenario/scenario.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { AdvanceOptions, AdvanceResult } from '../simulator-api.ts'
import { argumentFailure, SimulatorError } from '../simulator-error.ts'
import type { ControlCall } from './control-calls.ts'

/** Control address and token of a simulator, as it prints them. */
export interface ControlSettings {
  /** Value of `BROKERWIRE_CONTROL_URL`: an origin on this machine. */
  readonly url: string
  /** Value of `BROKERWIRE_CONTROL_TOKEN`: the bearer token. */
  readonly token: SecretInput
  /** Time limit of each call, in milliseconds. @defaultValue 60000 */
  readonly timeoutMs?: number | undefined
}

/** An event to send, and the app that sends it. @defaultValue app the first app */
export type ControlEmission = {
  /** Name or key of the app that sends the event. @defaultValue the first app */
  readonly app?: string | undefined
} & (
  | {
      /** An order event, as for `emitOrder()`. */
      readonly order: OrderEmission
    }
  | {
      /** A position settlement, as for `emitPosition()`. */
      readonly position: PositionEmission
    }
  | {
      /** A module event, as for `emitModule()`. */
      readonly module: ModuleEmission
    }
  | {
      /** A raw trade frame, as for `emitTradeFrame()`. */
      readonly frame: RawTradeEmission
    }
  | {
      /** A raw module frame, as for `emitModuleFrame()`. */
      readonly moduleFrame: RawModuleEmission
    }
)

/** A fault to inject, or `clear: true` to remove all pending faults. */
export type ControlFault =
  | {
      /** Fault of the next HTTP request. */
      readonly http: HttpFault
      /** Only requests with this path. @defaultValue any path */
      readonly path?: string | undefined
      /** Number of requests with the fault. @defaultValue 1 */
      readonly count?: FaultCount | undefined
    }
  | {
      /** Fault of the next subscription. */
      readonly subscription: SubscriptionFault
      /** Only subscriptions to this service. @defaultValue either service */
      readonly service?: StreamService | undefined
      /** Number of subscriptions with the fault. @defaultValue 1 */
      readonly count?: FaultCount | undefined
    }
  | {
      /** Fault of the next data frame. */
      readonly frame: FrameFault
      /** Only frames of this service. @defaultValue either service */
      readonly service?: StreamService | undefined
      /** Number of frames with the fault. @defaultValue 1 */
      readonly count?: FaultCount | undefined
    }
  | { readonly clear: true }

/**
 * A simulator in another process. If the simulator rejects a call or cannot be reached, the call fails with
 * SimulatorError `SIMULATOR_CONTROL_FAILED`.
 */
export interface SimulatorControl {
  /** Returns the counters of the simulator, without secrets. */
  state(): Promise<Readonly<Record<string, unknown>>>
  /** Returns the logged requests, oldest first. */
  requests(): Promise<readonly LoggedRequest[]>
  /** Returns the trade events in an app's log, oldest first. @defaultValue app the first app */
  tradeEvents(app?: string): Promise<readonly EmittedTradeEvent[]>
  /** Returns the module events in an app's log, oldest first. @defaultValue app the first app */
  moduleEvents(app?: string): Promise<readonly EmittedModuleEvent[]>
  /**
   * Completes the second factor of one token, or of all PENDING tokens of one app or all apps.
   *
   * @returns Number of tokens that became NORMAL.
   */
  approve(which?: {
    /** Name or key of the app. @defaultValue all apps */
    readonly app?: string | undefined
    /** The token to approve. @defaultValue all PENDING tokens */
    readonly token?: string | undefined
  }): Promise<number>
  /** Sends an event and returns it. */
  emit(what: ControlEmission): Promise<EmittedTradeEvent | EmittedModuleEvent>
  /** Destroys the connections of the streams. @returns Number of lost subscriptions. */
  drop(which?: {
    /** Only streams of this service. @defaultValue both services */
    readonly service?: StreamService | undefined
  }): Promise<number>
  /** Injects a fault, or removes all pending faults. */
  fault(fault: ControlFault): Promise<void>
  /**
   * Advances the clock by `ms` milliseconds.
   *
   * @returns The new time, and the numbers of events and scenario steps.
   */
  advance(ms: number, options?: AdvanceOptions): Promise<AdvanceResult>
  /**
   * Executes an action on market data.
   *
   * @returns Number of affected sessions. For `step`, the number of messages that were sent. 0 for faults,
   * which are injected into a later CONNECT.
   */
  quotes(action: QuotesAction): Promise<number>
  /** Starts a scenario and stops the running one. */
  startScenario(
    scenario: ScenarioName | ScenarioFile,
    options?: {
      /** Milliseconds between two steps of a named scenario. @defaultValue the option scenarioIntervalMs */
      readonly intervalMs?: number | undefined
    },
  ): Promise<void>
  /** Stops the running scenario, if there is one. */
  stopScenario(): Promise<void>
}

/** Origins of a control server, which listens only on the loopback interface. */
const LOCAL = /^http:\/\/(?:localhost|127\.0\.0\.1):\d+$/

const CONTROL_SETTINGS = {
  url: origin,
  token: secret,
  // The upper bound is the maximum delay of a timer in Node.
  timeoutMs: integer({ min: 1, max: 2_147_483_647, default: 60_000 }),
} satisfies FieldsOf<ControlSettings>

/**
 * Connects to a simulator in another process.
 *
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`
 *
 * @example
 * ```ts
 * import { connectControl } from '@brokerwire/simulator'
 *
 * const control = connectControl({
 *   url: process.env['BROKERWIRE_CONTROL_URL'] ?? '',
 *   token: process.env['BROKERWIRE_CONTROL_TOKEN'] ?? '',
 * })
 * await control.emit({ order: { scene: 'FINAL_FILLED', symbol: 'AAPL' } })
 * ```
 */
export function connectControl(given: ControlSettings): SimulatorControl {
  const { url, token: text, timeoutMs } = readOptions(argumentFailure, given, CONTROL_SETTINGS)
  if (!LOCAL.test(url)) throw argumentFailure('url', 'an http: origin on this machine', 'another origin')
  const token = new Secret(text)

  const call = async (name: ControlCall, body?: object): Promise<Readonly<Record<string, unknown>>> => {
    let response: Response
    let answer: unknown
    try {
      response = await fetch(`${url}/${name}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      answer = await response.json()
    } catch (error) {
      const { code, message } = isRecord(error) && isRecord(error.cause) ? error.cause : {}
      // If `fetch` blocks the port, its error has a message but no code.
      const reason = String(
        code ?? message ?? (isTimeout(error) ? `no response within ${timeoutMs} ms` : 'no JSON'),
      )
      throw controlFailed(name, 0, `no response from a simulator at ${url} (${reason})`)
    }
    const { message } = isRecord(answer) ? answer : {}
    if (response.ok && isRecord(answer)) return answer
    throw controlFailed(name, response.status, typeof message === 'string' ? message : typeName(answer))
  }
  return {
    state: () => call('state'),
    requests: async () => (await call('requests')).requests as readonly LoggedRequest[],
    tradeEvents: async (app) => (await call('events', { app })).trade as readonly EmittedTradeEvent[],
    moduleEvents: async (app) => (await call('events', { app })).module as readonly EmittedModuleEvent[],
    approve: async (which = {}) => (await call('approve', which)).approved as number,
    emit: async (what) => (await call('emit', what)).event as EmittedTradeEvent | EmittedModuleEvent,
    drop: async (which = {}) => (await call('drop', which)).dropped as number,
    fault: async (fault) => void (await call('fault', fault)),
    advance: async (ms, { scenarioSteps } = {}) =>
      (await call('advance', { ms, scenarioSteps })) as unknown as AdvanceResult,
    quotes: async (action) => (await call('quotes', action)).reached as number,
    startScenario: async (start, { intervalMs } = {}) => void (await call('scenario', { start, intervalMs })),
    stopScenario: async () => void (await call('scenario', { stop: true })),
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function controlFailed(
  call: string,
  status: number,
  reason: string,
): SimulatorError<'SIMULATOR_CONTROL_FAILED'> {
  return new SimulatorError('SIMULATOR_CONTROL_FAILED', `${call}: ${reason}`, {
    details: { call, status, reason },
    retryable: status === 0,
  })
}

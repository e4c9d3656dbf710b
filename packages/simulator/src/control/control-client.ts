/** Steers a simulator in another process on this machine, over its control address. */
import { Secret, type SecretInput } from '@brokerwire/core'
import {
  describe,
  type FieldsOf,
  integer,
  isRecord,
  origin,
  readOptions,
  secret,
} from '@brokerwire/core/internal'
import type {
  ModuleEmission,
  OrderEmission,
  PositionEmission,
  RawModuleEmission,
  RawTradeEmission,
} from '../events/emissions.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import type { FaultTimes } from '../fault-queue.ts'
import type { FrameFault } from '../grpc/frame-fault.ts'
import type { StreamService, SubscriptionFault } from '../grpc/subscription-fault.ts'
import type { HttpFault } from '../http/http-fault.ts'
import type { QuotesAction } from '../quotes/quotes-actions.ts'
import type { LoggedRequest } from '../request-log.ts'
import type { ScenarioName } from '../scenario/scenario.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { Advanced, AdvanceOptions } from '../simulator-api.ts'
import { argumentFailure, SimulatorError } from '../simulator-error.ts'
import type { ControlCall } from './control-calls.ts'

/** Where a simulator is steered, as it prints it. */
export interface ControlSettings {
  /** `BROKERWIRE_CONTROL_URL`: an origin on this machine. */
  readonly url: string
  /** `BROKERWIRE_CONTROL_TOKEN`. */
  readonly token: SecretInput
  /** Milliseconds for each call. @defaultValue 60000 */
  readonly timeoutMs?: number | undefined
}

/** What to emit, and of which app. @defaultValue app the first */
export type ControlEmission = { readonly app?: string | undefined } & (
  | { readonly order: OrderEmission }
  | { readonly position: PositionEmission }
  | { readonly module: ModuleEmission }
  | { readonly frame: RawTradeEmission }
  | { readonly moduleFrame: RawModuleEmission }
)

/** Which fault shall strike next. */
export type ControlFault =
  | { readonly http: HttpFault; readonly path?: string | undefined; readonly count?: FaultTimes | undefined }
  | {
      readonly subscription: SubscriptionFault
      readonly service?: StreamService | undefined
      readonly count?: FaultTimes | undefined
    }
  | {
      readonly frame: FrameFault
      readonly service?: StreamService | undefined
      readonly count?: FaultTimes | undefined
    }
  | { readonly clear: true }

/** A simulator in another process. Each call throws SimulatorError `SIMULATOR_CONTROL_FAILED` where it is refused. */
export interface SimulatorControl {
  /** Counts of everything. No secret. */
  state(): Promise<Readonly<Record<string, unknown>>>
  requests(): Promise<readonly LoggedRequest[]>
  /** What the logs of an app keep, oldest first. @defaultValue app the first */
  tradeEvents(app?: string): Promise<readonly EmittedTradeEvent[]>
  moduleEvents(app?: string): Promise<readonly EmittedModuleEvent[]>
  /** Completes the second factor of a token, or of all that are PENDING, of all apps or of one. @returns How many. */
  approve(which?: { readonly app?: string | undefined; readonly token?: string | undefined }): Promise<number>
  emit(what: ControlEmission): Promise<EmittedTradeEvent | EmittedModuleEvent>
  /** Breaks the connections of the streams. @returns Subscriptions that were lost. */
  drop(which?: { readonly service?: StreamService | undefined }): Promise<number>
  fault(fault: ControlFault): Promise<void>
  /** Moves the clock on. @returns Its time afterwards, and what happened. */
  advance(ms: number, options?: AdvanceOptions): Promise<Advanced>
  /** Does something to market data. @returns Sessions that were reached; messages of `step`; 0 for what strikes later. */
  quotes(action: QuotesAction): Promise<number>
  startScenario(
    scenario: ScenarioName | ScenarioFile,
    options?: { readonly intervalMs?: number | undefined },
  ): Promise<void>
  stopScenario(): Promise<void>
}

/** Control listens there alone. */
const LOCAL = /^http:\/\/(?:localhost|127\.0\.0\.1):\d+$/

const CONTROL_SETTINGS = {
  url: origin,
  token: secret,
  // The longest timer of Node.
  timeoutMs: integer({ min: 1, max: 2_147_483_647, default: 60_000 }),
} satisfies FieldsOf<ControlSettings>

/**
 * Steers a simulator of another process.
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
      // A port that fetch does not ask has no code.
      const reason = String(code ?? message ?? (isTimeout(error) ? `none in ${timeoutMs} ms` : 'no JSON'))
      throw controlFailed(name, 0, `no simulator answers at ${url} (${reason})`)
    }
    const { message } = isRecord(answer) ? answer : {}
    if (response.ok && isRecord(answer)) return answer
    throw controlFailed(name, response.status, typeof message === 'string' ? message : describe(answer))
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
      (await call('advance', { ms, scenarioSteps })) as unknown as Advanced,
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

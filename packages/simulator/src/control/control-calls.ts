/** The calls that another process can make: names, arguments and effects. */
import { isRecord, knownOptions, oneOf, ownOptions, received } from '@brokerwire/core/internal'
import { addFault } from '../fault-controls.ts'
import { isTooDeep, MAX_LEVELS } from '../http/json-object.ts'
import { executeQuotesAction, type QuotesAction } from '../quotes/quotes-actions.ts'
import { type FaultStep, SCENARIO_NAMES, type ScenarioName } from '../scenario/scenario.ts'
import { readScenarioValue } from '../scenario/scenario-file.ts'
import type { Simulator } from '../simulator-api.ts'
import { argumentFailure } from '../simulator-error.ts'

/** Calls, by the last segment of their path. */
export const CONTROL_CALLS = [
  'approve',
  'emit',
  'drop',
  'fault',
  'advance',
  'scenario',
  'quotes',
  'state',
  'requests',
  'events',
] as const

/** One of {@link CONTROL_CALLS}. */
export type ControlCall = (typeof CONTROL_CALLS)[number]

type Fields = Readonly<Record<string, unknown>>

const EMISSIONS = ['order', 'position', 'module', 'frame', 'moduleFrame'] as const
const FAULTS = ['http', 'subscription', 'frame', 'clear'] as const

/**
 * Executes a call.
 *
 * @returns The response as JSON.
 * @throws SimulatorError if the call is invalid.
 */
export async function executeCall(simulator: Simulator, call: ControlCall, body: unknown): Promise<unknown> {
  if (!isRecord(body)) throw argumentFailure('body', 'a JSON object', 'something else')
  if (isTooDeep(body)) throw argumentFailure('body', `at most ${MAX_LEVELS} levels`, 'more')
  const fields: Fields = ownOptions(body)
  switch (call) {
    case 'state':
      requireOnly(fields, [])
      return simulator.state()
    case 'requests':
      requireOnly(fields, [])
      return { requests: simulator.requests() }
    case 'events':
      requireOnly(fields, ['app'])
      return listEvents(simulator, fields)
    case 'approve':
      requireOnly(fields, ['app', 'token'])
      return { approved: approve(simulator, fields) }
    case 'emit':
      requireOnly(fields, ['app', ...EMISSIONS])
      return { event: emit(simulator, fields) }
    case 'drop':
      requireOnly(fields, ['service'])
      return { dropped: simulator.dropConnections(fields) }
    case 'fault':
      setFault(simulator, fields)
      return {}
    case 'advance':
      requireOnly(fields, ['ms', 'scenarioSteps'])
      return simulator.advance(fields.ms as number, {
        scenarioSteps: fields.scenarioSteps as number | undefined,
      })
    case 'quotes':
      requireOnly(fields, ['action', 'session', 'count', 'code'])
      return { reached: executeQuotesAction(simulator.quotes, fields as unknown as QuotesAction) }
    case 'scenario':
      requireOnly(fields, ['start', 'stop', 'intervalMs'])
      return { running: scenario(simulator, fields) }
  }
}

function requireOnly(fields: Fields, names: readonly string[]): void {
  if (names.length > 0) knownOptions(argumentFailure, fields, names)
  else if (Object.keys(fields).length > 0) throw argumentFailure('body', '{}', 'an object with fields')
}

function listEvents(simulator: Simulator, { app }: Fields): unknown {
  const { tradeEvents, moduleEvents } = app === undefined ? simulator : simulator.app(app as string)
  return { trade: tradeEvents(), module: moduleEvents() }
}

function approve(simulator: Simulator, { app, token }: Fields): number {
  if (token !== undefined && typeof token !== 'string')
    throw argumentFailure('token', 'a string', received(token))
  const apps = app === undefined ? simulator.apps : [simulator.app(app as string)]
  return apps.reduce((sum, item) => sum + item.approveSecondFactor(token), 0)
}

/** Returns the name of the only field that is present. Throws if no field or more than one is present. */
function requireExactlyOne<const T extends string>(fields: Fields, names: readonly T[]): T {
  const given = names.filter((name) => fields[name] !== undefined)
  const [first] = given
  if (first !== undefined && given.length === 1) return first
  throw argumentFailure('body', `exactly one of ${names.join(', ')}`, given.join(', ') || 'none')
}

function emit(simulator: Simulator, fields: Fields): unknown {
  const what = requireExactlyOne(fields, EMISSIONS)
  const app = fields.app === undefined ? simulator : simulator.app(fields.app as string)
  const input = fields[what]
  if (!isRecord(input)) throw argumentFailure(what, 'a JSON object', received(input))
  switch (what) {
    case 'order':
      return app.emitOrder(input)
    case 'position':
      return app.emitPosition(input)
    case 'module':
      return app.emitModule(input)
    case 'frame':
      return app.emitTradeFrame(input as never)
    case 'moduleFrame':
      return app.emitModuleFrame(input as never)
  }
}

function setFault({ faults }: Simulator, fields: Fields): void {
  const what = requireExactlyOne(fields, FAULTS)
  requireOnly(fields, FAULT_FIELDS[what])
  if (what === 'clear' && fields.clear !== true)
    throw argumentFailure('clear', 'true', received(fields.clear))
  addFault(faults, fields as FaultStep)
}

const FAULT_FIELDS: Readonly<Record<(typeof FAULTS)[number], readonly string[]>> = {
  http: ['http', 'path', 'count'],
  subscription: ['subscription', 'service', 'count'],
  frame: ['frame', 'service', 'count'],
  clear: ['clear'],
}

function scenario(simulator: Simulator, fields: Fields): boolean {
  if (requireExactlyOne(fields, ['start', 'stop']) === 'stop') {
    if (fields.stop !== true) throw argumentFailure('stop', 'true', received(fields.stop))
    simulator.stopScenario()
    return false
  }
  const { start } = fields
  const wanted: ScenarioName | ReturnType<typeof readScenarioValue> =
    typeof start === 'string'
      ? oneOf(SCENARIO_NAMES)(start, 'start', argumentFailure)
      : readScenarioValue(start)
  simulator.startScenario(wanted, { intervalMs: fields.intervalMs as number | undefined })
  return true
}

/**
 * Calls that the page of the console can make: some calls of the control server, and calls that only the
 * console has, such as an action on one stream or token.
 */
import {
  integer,
  isRecord,
  knownOptions,
  oneOf,
  ownOptions,
  received,
  string,
} from '@brokerwire/core/internal'
import type { App, Apps } from '../apps/app.ts'
import { type ControlCall, executeCall } from '../control/control-calls.ts'
import type { StreamHub, SubscriptionAction } from '../grpc/stream-hub.ts'
import { STREAM_SERVICES, type StreamService } from '../grpc/subscription-fault.ts'
import type { RequestLog } from '../request-log.ts'
import type { Simulator } from '../simulator-api.ts'
import { argumentFailure } from '../simulator-error.ts'
import type { StreamSelection } from '../simulator-faults.ts'
import { describeEvent } from './console-entries.ts'
import { findToken } from './console-state.ts'
import { type ConsoleTradingSource, ORDER_OPERATIONS } from './console-trading.ts'
import type { ConsoleDiagnosis, ConsoleOrderResponse } from './wire.ts'

/** Dependencies of the calls. */
export interface ConsoleCallContext {
  readonly simulator: Simulator
  readonly apps: Apps
  readonly hub: StreamHub
  readonly requestLog: RequestLog
  readonly trading: ConsoleTradingSource | undefined
}

/** Calls that change something. They accept only POST. */
export const CONSOLE_ACTIONS = [
  'token',
  'stream',
  'replay',
  'emit',
  'fault',
  'advance',
  'scenario',
  'quotes',
  'order',
] as const
/** Calls that only read. */
export const CONSOLE_QUERIES = ['event', 'request'] as const

/** One of the calls. */
export type ConsoleCall = (typeof CONSOLE_ACTIONS)[number] | (typeof CONSOLE_QUERIES)[number]

const CONTROL: Readonly<Partial<Record<ConsoleCall, ControlCall>>> = {
  emit: 'emit',
  fault: 'fault',
  advance: 'advance',
  scenario: 'scenario',
  quotes: 'quotes',
}
/** Actions on all streams, or on those of one service. The hub has the same actions for a single stream. */
const ACTIONS_ON_SELECTION: Readonly<
  Record<SubscriptionAction, (simulator: Simulator, selection: StreamSelection) => number>
> = {
  drop: (simulator, selection) => simulator.dropConnections(selection),
  goaway: (simulator, selection) => simulator.goaway(selection),
  reset: (simulator, selection) => simulator.resetStreams(selection),
  end: (simulator, selection) => simulator.endStreams(selection),
  expire: (simulator, selection) => simulator.expireSubscriptions(selection),
  silence: (simulator, selection) => simulator.silence('all', selection),
  resume: (simulator, selection) => simulator.resume(selection),
  ping: (simulator, selection) => simulator.pingNow(selection),
}
const STREAM_ACTIONS = Object.keys(ACTIONS_ON_SELECTION) as readonly SubscriptionAction[]
const INDEX = { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }

/** Executes a call. @returns The response as JSON. @throws SimulatorError if the call is invalid. */
export async function executeConsoleCall(
  context: ConsoleCallContext,
  call: ConsoleCall,
  body: unknown,
): Promise<unknown> {
  const control = CONTROL[call]
  if (control !== undefined) return executeCall(context.simulator, control, body)
  if (!isRecord(body)) throw argumentFailure('body', 'a JSON object', received(body))
  const fields: Readonly<Record<string, unknown>> = ownOptions(body)
  const requireOnly = (...names: readonly string[]): void => {
    knownOptions(argumentFailure, fields, names)
  }
  switch (call) {
    case 'token':
      requireOnly('id', 'action')
      return { changed: changeToken(context, fields) }
    case 'stream':
      requireOnly('id', 'action', 'service')
      return { changed: actOnStreams(context, fields) }
    case 'replay': {
      requireOnly('count', 'app', 'kind', 'accountId')
      return { sent: replay(context, fields) }
    }
    case 'order':
      requireOnly('app', 'operation', 'body')
      return executeOrder(context, fields)
    case 'event':
      requireOnly('log', 'app', 'index')
      return { event: findEvent(context, fields) }
    default: {
      requireOnly('index')
      const index = parseIndex(fields)
      return { diagnosis: context.requestLog.diagnosisAt(index) } satisfies ConsoleDiagnosis
    }
  }
}

type Fields = Readonly<Record<string, unknown>>

function changeToken({ apps, simulator }: ConsoleCallContext, { id, action }: Fields): number {
  const what = oneOf(['approve', 'expire', 'invalidate'])(action as 'approve', 'action', argumentFailure)
  const found = findToken(apps, string()(id as string, 'id', argumentFailure))
  if (found === undefined) throw argumentFailure('id', 'the id of a known token', 'another id')
  const handle = simulator.app(found.app.settings.name)
  if (what === 'approve') return handle.approveSecondFactor(found.token)
  return handle.endAccessTokens({ status: what === 'expire' ? 'EXPIRED' : 'INVALID', token: found.token })
}

function actOnStreams({ hub, simulator }: ConsoleCallContext, { id, action, service }: Fields): number {
  const what = oneOf(STREAM_ACTIONS)(action as 'drop', 'action', argumentFailure)
  if (id === undefined)
    return ACTIONS_ON_SELECTION[what](simulator, { service: service as StreamService | undefined })
  if (service !== undefined) throw argumentFailure('service', 'undefined if id is set', received(service))
  return hub.act(string()(id as string, 'id', argumentFailure), what) ? 1 : 0
}

function replay({ simulator, apps }: ConsoleCallContext, fields: Fields): number {
  const text = (name: 'kind' | 'accountId'): string | undefined =>
    fields[name] === undefined ? undefined : string()(fields[name] as string, name, argumentFailure)
  const count = integer({
    min: 1,
    max: 1000,
    default: 1,
  })(fields.count as number | undefined, 'count', argumentFailure)
  return apps
    .of(getAppKey(simulator, fields))
    .publisher.redeliver({ count, kind: text('kind'), accountId: text('accountId') })
}

function executeOrder({ simulator, trading }: ConsoleCallContext, fields: Fields): ConsoleOrderResponse {
  const { operation, body } = fields
  const name = oneOf(ORDER_OPERATIONS)(operation, 'operation', argumentFailure)
  if (!isRecord(body)) throw argumentFailure('body', 'an object', received(body))
  if (trading === undefined) {
    throw argumentFailure('operation', 'used with the option trading, which is off', name)
  }
  const { status, json } = trading.execute(getAppKey(simulator, fields), name, body)
  return { status, json: isRecord(json) ? json : {} }
}

/** Returns the app key of the app that a call names; that of the first app if it names none. */
function getAppKey(simulator: Simulator, { app }: Fields): string {
  const named = app === undefined ? simulator : simulator.app(string()(app as string, 'app', argumentFailure))
  return named.credentials.appKey
}

function findEvent({ apps }: ConsoleCallContext, fields: Fields): unknown {
  const app: App | undefined = apps.all.find(({ settings }) => settings.name === fields.app)
  if (app === undefined) throw argumentFailure('app', 'the name of an app', received(fields.app))
  const index = parseIndex(fields)
  const isTrade = oneOf(STREAM_SERVICES)(fields.log as 'trade', 'log', argumentFailure) === 'trade'
  const event = isTrade ? app.tradeLog.at(index) : app.moduleLog.at(index)
  if (event === undefined)
    throw argumentFailure('index', 'the index of an event that is still retained', 'another index')
  return { ...describeEvent(app, index, event), payload: event.payload, isCut: false }
}

/** Parses an index, which is a string if it is in the query of a GET request. */
function parseIndex({ index }: Fields): number {
  const value = typeof index === 'string' && /^\d{1,15}$/.test(index) ? Number(index) : index
  if (value === undefined) throw argumentFailure('index', 'a whole number', 'undefined')
  return integer(INDEX)(value, 'index', argumentFailure)
}

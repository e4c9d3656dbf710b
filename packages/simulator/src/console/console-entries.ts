/** Events and requests of the logs in the words of the console. */
import type { App } from '../apps/app.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import type { LoggedRequest } from '../request-log.ts'
import type { ConsoleEvent, ConsoleRequest } from './wire.ts'

/** Of a payload that a list shows; the rest is asked for. */
const SHOWN_PAYLOAD = 2048

/** An event of the trade service. */
export function describeTrade(app: App, index: number, event: EmittedTradeEvent): ConsoleEvent {
  return {
    log: 'trade',
    app: app.settings.name,
    index,
    at: new Date(event.timestampMs).toISOString(),
    kind: event.kind,
    eventType: String(event.eventType),
    accountId: event.accountId,
    requestId: event.requestId,
    position: undefined,
    contentType: event.contentType,
    version: undefined,
    invented: event.invented,
    ...shownPayload(event.payload),
  }
}

/** An event of the module service. */
export function describeModule(app: App, index: number, event: EmittedModuleEvent): ConsoleEvent {
  return {
    log: 'module',
    app: app.settings.name,
    index,
    at: event.timestamp,
    kind: event.module ?? 'module',
    eventType: event.eventType,
    accountId: undefined,
    requestId: event.id,
    position: event.position,
    contentType: undefined,
    version: event.version,
    invented: event.invented,
    ...shownPayload(event.payload),
  }
}

/** A request. */
export function describeEntry(
  index: number,
  request: LoggedRequest,
  nameOf: (appKey: string) => string,
): ConsoleRequest {
  const { atMs, answeredAtMs, protocol, method, path, status, errorCode, appKey, requestId, headerNames } =
    request
  return {
    index,
    atMs,
    tookMs: answeredAtMs - atMs,
    protocol,
    method,
    path: path.slice(0, SHOWN_PAYLOAD),
    status,
    errorCode,
    app: appKey === undefined ? undefined : nameOf(appKey),
    requestId,
    headerNames: headerNames.slice(0, 40),
  }
}

function shownPayload(payload: string): Pick<ConsoleEvent, 'payload' | 'isCut'> {
  return { payload: payload.slice(0, SHOWN_PAYLOAD), isCut: payload.length > SHOWN_PAYLOAD }
}

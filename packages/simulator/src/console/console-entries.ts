/** Describes logged events and requests in the format of the console. */
import type { App } from '../apps/app.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import type { LoggedRequest } from '../request-log.ts'
import { MAX_DATE_MS } from '../time/offset-clock.ts'
import type { ConsoleEvent, ConsoleRequest } from './wire.ts'

/** Maximum number of characters of a payload in a list. The call `event` returns the whole payload. */
const MAX_PAYLOAD_CHARACTERS = 2048

/** Describes an event of either service. */
export function describeEvent(
  app: App,
  index: number,
  event: EmittedTradeEvent | EmittedModuleEvent,
): ConsoleEvent {
  const { payload, invented } = event
  return {
    app: app.settings.name,
    index,
    invented,
    payload: payload.slice(0, MAX_PAYLOAD_CHARACTERS),
    isCut: payload.length > MAX_PAYLOAD_CHARACTERS,
    ...('position' in event ? moduleFields(event) : tradeFields(event)),
  }
}

type ServiceFields = Omit<ConsoleEvent, 'app' | 'index' | 'invented' | 'payload' | 'isCut'>

function tradeFields(event: EmittedTradeEvent): ServiceFields {
  const { timestampMs, kind, eventType, accountId, requestId, contentType } = event
  return {
    log: 'trade',
    // A state file that an earlier version of the simulator has written may contain a timestamp that is not a
    // valid date.
    at: timestampMs <= MAX_DATE_MS ? new Date(timestampMs).toISOString() : String(timestampMs),
    kind,
    eventType: String(eventType),
    accountId,
    requestId,
    position: undefined,
    contentType,
    version: undefined,
  }
}

function moduleFields({
  timestamp,
  module,
  eventType,
  id,
  position,
  version,
}: EmittedModuleEvent): ServiceFields {
  return {
    log: 'module',
    at: timestamp,
    kind: module ?? 'module',
    eventType,
    accountId: undefined,
    requestId: id,
    position,
    contentType: undefined,
    version,
  }
}

/** Describes a logged request. */
export function describeLoggedRequest(
  index: number,
  request: LoggedRequest,
  getAppName: (appKey: string) => string,
): ConsoleRequest {
  const { atMs, respondedAtMs, protocol, method, path, status, errorCode, appKey, requestId, headerNames } =
    request
  return {
    index,
    atMs,
    tookMs: respondedAtMs - atMs,
    protocol,
    method,
    path: path.slice(0, MAX_PAYLOAD_CHARACTERS),
    status,
    errorCode,
    app: appKey === undefined ? undefined : getAppName(appKey),
    requestId,
    headerNames: headerNames.slice(0, 40),
  }
}

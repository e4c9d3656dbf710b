/** Definitions of the two event services for grpc-js, and the messages that the server sends. */
import { join } from 'node:path'
import type { ServiceDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

export type ScaleService = 'trade' | 'module'

const NAMES: Readonly<Record<ScaleService, readonly [file: string, service: string]>> = {
  trade: ['grpc/trade/event/events.proto', 'grpc.trade.event.EventService'],
  module: ['grpc/event/event_service.proto', 'grpc.event.EventService'],
}

export const serviceName = (service: ScaleService): string => NAMES[service][1]

/** @param protos - Folder of the `.proto` files. */
export function serviceOf(service: ScaleService, protos: string): ServiceDefinition {
  const [file, name] = NAMES[service]
  return loadSync(file, { includeDirs: [protos] })[name] as ServiceDefinition
}

export const PROTOS = join(process.cwd(), 'packages/protos/proto')

/** Type of the message that confirms a subscription, in both services. */
const SUBSCRIBED = 0
export const ACKNOWLEDGED = { eventType: SUBSCRIBED, type: SUBSCRIBED }
/** The event type that module streams subscribe to. */
const MODULE_EVENT_TYPE = 'FUNDING'

const ORDER = 1024
const MODULE_EVENT = 2
/** A payload for a message of about 700 bytes. */
const PAYLOAD = JSON.stringify({ filler: 'x'.repeat(620) })
const idOf = (number: number): string => `EVENT${String(number).padStart(20, '0')}`

/** Fields of an event. `number` distinguishes events. */
export const EVENT_FIELDS: Readonly<Record<ScaleService, (number: number) => object>> = {
  trade: (number) => ({
    ...{ eventType: ORDER, subscribeType: 1, contentType: 'application/json', payload: PAYLOAD },
    ...{ requestId: idOf(number), timestamp: Date.now() },
  }),
  module: (number) => ({
    ...{ type: MODULE_EVENT, eventType: MODULE_EVENT_TYPE, version: '1', payload: PAYLOAD },
    ...{ id: idOf(number), position: idOf(number), timestamp: new Date().toISOString() },
  }),
}

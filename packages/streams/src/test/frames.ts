/** Serialized frames of both services, and a signer, for tests. */
import {
  ModuleMessageType,
  ModuleSubscribeResponseSchema,
  type TradeEventType,
  TradeSubscribeResponseSchema,
} from '@brokerwire/protos'
import { createSigner } from '@brokerwire/signer'
import { create, toBinary } from '@bufbuild/protobuf'

/** A frame of the trade service. `eventType` may be outside the enum. */
export function tradeFrame(
  eventType: number,
  fields: { readonly requestId?: string; readonly payload?: string; readonly timestamp?: bigint } = {},
): Uint8Array {
  return toBinary(
    TradeSubscribeResponseSchema,
    create(TradeSubscribeResponseSchema, {
      eventType: eventType as TradeEventType,
      subscribeType: 1,
      contentType: eventType >= 1024 ? 'application/json' : 'text/plain',
      ...fields,
    }),
  )
}

/** A frame of the module service. */
export function moduleFrame(
  type: number,
  fields: {
    readonly id?: string
    readonly eventType?: string
    readonly position?: string
    readonly timestamp?: string
    readonly payload?: string
  } = {},
): Uint8Array {
  return toBinary(ModuleSubscribeResponseSchema, create(ModuleSubscribeResponseSchema, { type, ...fields }))
}

/** An event of the module service, with a realistic payload. */
export function moduleEvent(eventType: string, number: number, bizType = 'ACCOUNT_CREATE'): Uint8Array {
  const id = `id-${number}`
  const position = `p${number}`
  const timestamp = '2026-01-01T00:00:00.000000000Z'
  return moduleFrame(ModuleMessageType.Event, {
    id,
    eventType,
    position,
    timestamp,
    payload: JSON.stringify({
      id,
      event_type: eventType,
      position,
      timestamp,
      payload: { biz_type: bizType },
    }),
  })
}

/** Credentials for tests; they are not real. */
export const APP_KEY = 'test-app-key'
export const APP_SECRET = 'test-app-secret'

/** Creates a signer with these credentials. */
export const testSigner = () => createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })

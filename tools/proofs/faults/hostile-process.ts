/**
 * A service in its own process that sends events which a correct service never sends, as fast as the client
 * reads them.
 */
import {
  ModuleMessageType,
  ModuleSubscribeResponseSchema,
  TradeEventType,
  TradeSubscribeResponseSchema,
} from '@brokerwire/protos'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { drained } from '@brokerwire/testing/drained'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { type ServerCall, startHttp2Server } from '@brokerwire/testing/http2-server'
import { create, toBinary } from '@bufbuild/protobuf'

/** The property that makes the events of the service hostile. */
export type HostileEvents = 'long-request-ids' | 'long-ids' | 'long-positions' | 'many-event-types'

const MIB = 1024 * 1024
let sent = 0

const trade = (eventType: number, requestId = ''): Uint8Array =>
  toBinary(
    TradeSubscribeResponseSchema,
    create(TradeSubscribeResponseSchema, {
      eventType: eventType as TradeEventType,
      requestId,
      payload: '{}',
    }),
  )
const event = (fields: { id?: string; eventType?: string; position?: string }): Uint8Array =>
  toBinary(
    ModuleSubscribeResponseSchema,
    create(ModuleSubscribeResponseSchema, {
      type: ModuleMessageType.Event,
      id: `id-${sent}`,
      eventType: 'APPLICATION',
      position: `p${sent}`,
      payload: '{}',
      ...fields,
    }),
  )
const long = (units: number): string => String(sent).padStart(units, 'x')

const FRAMES: Readonly<Record<HostileEvents, () => Uint8Array>> = {
  'long-request-ids': () => trade(1024, long(4 * MIB)),
  'long-ids': () => event({ id: long(MIB) }),
  'long-positions': () => event({ position: long(MIB) }),
  'many-event-types': () => event({ eventType: `TYPE-${sent}` }),
}

async function serve({ stream, respond }: ServerCall, events: HostileEvents, count: number): Promise<void> {
  respond({ 'content-type': 'application/grpc+proto' })
  const success = toBinary(
    ModuleSubscribeResponseSchema,
    create(ModuleSubscribeResponseSchema, { type: ModuleMessageType.SubscribeSuccess }),
  )
  stream.write(envelope(events === 'long-request-ids' ? trade(TradeEventType.SubscribeSuccess) : success))
  for (; sent < count && !stream.destroyed; sent += 1) {
    if (stream.write(envelope(FRAMES[events]()))) continue
    await drained(stream)
  }
}

const commands = {
  async start(events: HostileEvents, count: number): Promise<string> {
    const { url } = await startHttp2Server({ handler: (call) => serve(call, events, count) })
    return url
  },
  sent: () => sent,
}

export type HostileCommands = typeof commands

serveCalls(commands)

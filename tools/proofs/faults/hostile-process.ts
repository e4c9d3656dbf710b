/** A service that sends what no honest one would, as fast as it is read: a process of its own over bare `node:http2`. */
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import {
  ModuleMessageType,
  ModuleSubscribeResponseSchema,
  TradeEventType,
  TradeSubscribeResponseSchema,
} from '@brokerwire/protos'
import { create, toBinary } from '@bufbuild/protobuf'
import { serveCalls } from './child.ts'

/** What is wrong with its events. */
export type Poison = 'long-request-ids' | 'long-ids' | 'long-positions' | 'many-event-types'

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

const FRAMES: Readonly<Record<Poison, () => Uint8Array>> = {
  'long-request-ids': () => trade(1024, long(4 * MIB)),
  'long-ids': () => event({ id: long(MIB) }),
  'long-positions': () => event({ position: long(MIB) }),
  'many-event-types': () => event({ eventType: `TYPE-${sent}` }),
}

function envelope(message: Uint8Array): Buffer {
  const bytes = Buffer.alloc(5 + message.length)
  bytes.writeUInt32BE(message.length, 1)
  bytes.set(message, 5)
  return bytes
}

async function serve(stream: ServerHttp2Stream, poison: Poison, count: number): Promise<void> {
  stream.on('error', () => {})
  stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' })
  const success = toBinary(
    ModuleSubscribeResponseSchema,
    create(ModuleSubscribeResponseSchema, { type: ModuleMessageType.SubscribeSuccess }),
  )
  stream.write(envelope(poison === 'long-request-ids' ? trade(TradeEventType.SubscribeSuccess) : success))
  for (; sent < count && !stream.destroyed; sent += 1) {
    if (stream.write(envelope(FRAMES[poison]()))) continue
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off('drain', done)
        stream.off('close', done)
        resolve()
      }
      stream.on('drain', done)
      stream.on('close', done)
    })
  }
}

const commands = {
  start(poison: Poison, count: number): Promise<string> {
    const server = createServer()
    server.on('stream', (stream) => void serve(stream, poison, count))
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      })
    })
  },
  sent: () => sent,
}

/** What the process offers. */
export type HostileCommands = typeof commands

serveCalls(commands)

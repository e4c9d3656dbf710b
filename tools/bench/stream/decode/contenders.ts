/** The contenders. Each makes the same protobuf-es message of a range of a buffer. */
import { type DescMessage, fromBinary, type Message, type UnknownField } from '@bufbuild/protobuf'
import protobuf from 'protobufjs/minimal.js'
import { generatedDecoders as overProtobufjs } from '#generated-over-protobufjs'
import { grpc } from '#protobufjs-static'
import type { BufferDecoder } from '../../../../packages/streams/src/transport/decoding/gen/range-reader.ts'
import { generatedDecoders } from '../../../../packages/streams/src/transport/decoding/generated-decoders.ts'
import { bigintOf } from './bigint.ts'

function protobufEs(schema: DescMessage): BufferDecoder {
  return (bytes, start, end) => fromBinary(schema, bytes.subarray(start, end))
}

function readerOf(bytes: Buffer, start: number): protobuf.Reader {
  const reader = protobuf.Reader.create(bytes)
  reader.pos = start
  reader.discardUnknown = false
  return reader
}

/** From tag and value in one piece to protobuf-es' form. */
function unknownOf(raw: readonly Uint8Array[] | undefined): UnknownField[] | undefined {
  return raw?.map((bytes) => {
    const reader = protobuf.Reader.create(bytes)
    const tag = reader.tag()
    return { no: tag >>> 3, wireType: tag & 7, data: new Uint8Array(bytes.subarray(reader.pos)) }
  })
}

function withUnknown<M extends Message>(message: M, raw: readonly Uint8Array[] | undefined): M {
  const unknown = unknownOf(raw)
  if (unknown !== undefined) message.$unknown = unknown
  return message
}

/** protobufjs' static code, and its objects made into messages. */
const PROTOBUFJS_STATIC: Readonly<Record<string, BufferDecoder>> = {
  'grpc.trade.event.SubscribeResponse': (bytes, start, end) => {
    const read = grpc.trade.event.SubscribeResponse.decode(readerOf(bytes, start), end - start)
    const message = {
      $typeName: 'grpc.trade.event.SubscribeResponse',
      eventType: read.eventType,
      subscribeType: read.subscribeType,
      contentType: read.contentType,
      payload: read.payload,
      requestId: read.requestId,
      timestamp: bigintOf(read.timestamp),
    }
    return withUnknown(message, read.$unknowns)
  },
  'grpc.event.SubscribeResponse': (bytes, start, end) => {
    const read = grpc.event.SubscribeResponse.decode(readerOf(bytes, start), end - start)
    const message = {
      $typeName: 'grpc.event.SubscribeResponse',
      type: read.type,
      id: read.id,
      eventType: read.eventType,
      position: read.position,
      timestamp: read.timestamp,
      version: read.version,
      payload: read.payload,
    }
    return withUnknown(message, read.$unknowns)
  },
}

/** What protobufjs' static code gives, before it is a message: not the same job, the bound of what it could be. */
const PROTOBUFJS_STATIC_OBJECT: Readonly<Record<string, BufferDecoder>> = {
  'grpc.trade.event.SubscribeResponse': (bytes, start, end) =>
    grpc.trade.event.SubscribeResponse.decode(readerOf(bytes, start), end - start) as unknown as Message,
  'grpc.event.SubscribeResponse': (bytes, start, end) =>
    grpc.event.SubscribeResponse.decode(readerOf(bytes, start), end - start) as unknown as Message,
}

function required(decoder: BufferDecoder | undefined): BufferDecoder {
  if (decoder === undefined) throw new Error('a message without a decoder')
  return decoder
}

export function contendersFor(schema: DescMessage): Readonly<Record<string, BufferDecoder>> {
  const name = schema.typeName
  return {
    ours: required(generatedDecoders.get(name)),
    protobuf_es: protobufEs(schema),
    protobufjs_static: required(PROTOBUFJS_STATIC[name]),
    generated_over_protobufjs: required(overProtobufjs.get(name)),
  }
}

/** Contenders that do less than the whole job: measured, and not compared. */
export function lessThanTheJob(schema: DescMessage): Readonly<Record<string, BufferDecoder>> {
  return { protobufjs_static_unconverted: required(PROTOBUFJS_STATIC_OBJECT[schema.typeName]) }
}

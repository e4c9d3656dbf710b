/**
 * The generated decoders of all messages of both services. Each decodes a range of a buffer, so the transport needs no copy of a
 * message.
 */
import type { Message } from '@bufbuild/protobuf'
import { decoders as moduleDecoders } from './gen/grpc/event/event_service_decoders.ts'
import { decoders as tradeDecoders } from './gen/grpc/trade/event/events_decoders.ts'

/**
 * Decodes the bytes from `start` up to, not including, `end`. It must not read outside that range or keep a reference to the buffer
 * (a `bytes` field is copied), and it throws an `Error` for invalid data. The bytes are a `Buffer`.
 */
export type MessageDecoder = { decode(bytes: Uint8Array, start: number, end: number): Message }['decode']

/** Decoders by the full name of the message type, which is `$typeName` of a message. */
export type MessageDecoders = ReadonlyMap<string, MessageDecoder>

/** The decoders of both event services, by the full name of the message type. */
export const generatedDecoders: MessageDecoders = new Map([...tradeDecoders, ...moduleDecoders])

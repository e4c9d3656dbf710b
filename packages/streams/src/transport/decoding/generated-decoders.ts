/**
 * The decoders of every message of both services, as `pnpm generate` writes them: functions over a range of a buffer, found
 * by the message's full type name. The transport hands over the chunk it holds instead of a copy of each message.
 */
import type { Message } from '@bufbuild/protobuf'
import { decoders as moduleDecoders } from './gen/grpc/event/event_service_decoders.ts'
import { decoders as tradeDecoders } from './gen/grpc/trade/event/events_decoders.ts'

/**
 * Decodes the bytes from `start` up to, not including, `end`. It reads nothing outside that range, keeps no
 * reference to the buffer (a `bytes` field is copied), and throws an `Error` on invalid wire data. The bytes are a
 * `Buffer` of Node's.
 */
export type MessageDecoder = { decode(bytes: Uint8Array, start: number, end: number): Message }['decode']

/** Decoders by the full name of the message type, as `$typeName` has it. */
export type MessageDecoders = ReadonlyMap<string, MessageDecoder>

/** By the full name of the message type. */
export const generatedDecoders: MessageDecoders = new Map([...tradeDecoders, ...moduleDecoders])

/** The messages that are streamed: order events of the fixtures, those that serialize to about 700 bytes. */
import { type TradeSubscribeResponse, TradeSubscribeResponseSchema } from '@brokerwire/protos/trade'
import { fromBinary } from '@bufbuild/protobuf'
import wireMessages from '../../../../testdata/fixtures/wire-messages.json' with { type: 'json' }

const MIN_BYTES = 650
const MAX_BYTES = 800
/** Field 6 (`timestamp`) as a varint. */
const TIMESTAMP_TAG = 0x30

export interface BenchMessage {
  readonly bytes: Buffer
  readonly message: TradeSubscribeResponse
}

export const MESSAGES: readonly BenchMessage[] = wireMessages.messages
  .filter(({ service, name }) => service === 'trade' && /^order [A-Z_]+$/.test(name))
  .map(({ hex }) => Buffer.from(hex, 'hex'))
  .filter(({ length }) => length >= MIN_BYTES && length <= MAX_BYTES)
  .map((bytes) => ({ bytes, message: fromBinary(TradeSubscribeResponseSchema, bytes) }))

/** gRPC's envelope: no compression, the length, the message. */
export function envelope(message: Uint8Array): Buffer {
  const bytes = Buffer.alloc(5 + message.length)
  bytes.writeUInt32BE(message.length, 1)
  bytes.set(message, 5)
  return bytes
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** An order event whose first field says when it was sent: nanoseconds of the machine's monotonic clock. */
export function stampedMessage(nanoseconds: number): Buffer {
  const [first] = MESSAGES
  // The fixture's own timestamp is its last field: of a field that comes twice the last one counts.
  const bytes = first?.bytes ?? Buffer.alloc(0)
  const body = bytes.subarray(0, bytes.lastIndexOf(TIMESTAMP_TAG))
  return envelope(Buffer.concat([Buffer.of(TIMESTAMP_TAG), varint(nanoseconds), body]))
}

/** The stamp of an envelope that {@link stampedMessage} built, without decoding the message. */
export function readStamp(bytes: Buffer): number {
  let value = 0
  let factor = 1
  for (let at = 6; at < bytes.length; at += 1) {
    const byte = bytes.readUInt8(at)
    value += (byte & 127) * factor
    if (byte < 128) return value
    factor *= 128
  }
  return Number.NaN
}

/** Nanoseconds of a clock that all processes of the machine share; a double holds a hundred days of them. */
export const monotonicNs = (): number => Number(process.hrtime.bigint())

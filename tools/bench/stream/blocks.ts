/**
 * Blocks of 1 MiB with prepared DATA frames of whole messages. The server sends a block with one large write.
 * The messages are events of the fixtures. Each write gives the messages new numbers, so that no stream has
 * two messages with the same id.
 */
import { ModuleSubscribeResponseSchema } from '@brokerwire/protos/module'
import { TradeSubscribeResponseSchema } from '@brokerwire/protos/trade'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame } from '@brokerwire/testing/raw-http2'
import { fromBinary } from '@bufbuild/protobuf'
import wireMessages from '../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { NUMBER_DIGITS, type Service, type Shape } from './plan.ts'

const BLOCK_BYTES = 1024 * 1024
/** The default of SETTINGS_MAX_FRAME_SIZE (RFC 9113, section 6.5.2). */
const MAX_FRAME_BYTES = 16_384
const DIGIT_ZERO = 0x30
const ENVELOPE_BYTES = 5
export const FRAME_HEAD_BYTES = 9

export interface Block {
  readonly bytes: Buffer
  /** Position of each frame in `bytes`, and the end of the last one. */
  readonly offsets: readonly number[]
  readonly messages: number
  /** Bytes of DATA without frame headers, as flow control counts them. */
  readonly dataBytes: number
  /** Number of characters in all payloads. */
  readonly payloadChars: number
  /** For each message, the positions in `bytes` of the digits of its number. */
  readonly digits: readonly (readonly number[])[]
}

interface Message {
  /** The message with its length prefix. */
  readonly bytes: Buffer
  readonly payload: string
  /** Positions in `bytes` at which the ids end. The last digits of an id are the number of the message. */
  readonly idEnds: readonly number[]
}

function fixtures(service: Service, names: RegExp): Buffer[] {
  const all = wireMessages.messages.filter((each) => each.service === service && names.test(each.name))
  return all.map(({ hex }) => envelope(Buffer.from(hex, 'hex')))
}

/**
 * The payload contains the id too, before the field. Therefore the last occurrence of the id is the field.
 */
function tradeMessage(bytes: Buffer): Message {
  const { payload, requestId } = fromBinary(TradeSubscribeResponseSchema, bytes.subarray(ENVELOPE_BYTES))
  return { bytes, payload, idEnds: [bytes.lastIndexOf(requestId) + requestId.length] }
}

/**
 * The payload contains the ids too, after the fields. Therefore the first occurrence of an id is the field.
 */
function moduleMessage(bytes: Buffer): Message {
  const { payload, id, position } = fromBinary(ModuleSubscribeResponseSchema, bytes.subarray(ENVELOPE_BYTES))
  return { bytes, payload, idEnds: [id, position].map((text) => bytes.indexOf(text) + text.length) }
}

const MESSAGES: Readonly<Record<Service, () => Message[]>> = {
  trade: () =>
    fixtures('trade', /^order [A-Z_]+$/)
      .filter(({ length }) => length >= 655 && length <= 805)
      .map(tradeMessage),
  module: () => fixtures('module', /^(FUNDING|JOURNAL|TRADE|POSITION) /).map(moduleMessage),
}

function createBlock(shape: Shape, service: Service): Block {
  const each = MESSAGES[service]()
  const turns = Math.floor(BLOCK_BYTES / each.reduce((sum, { bytes }) => sum + bytes.length, 0))
  const all = Array.from({ length: turns }, () => each).flat()
  const data = Buffer.concat(all.map(({ bytes }) => bytes))
  const packed = (_: unknown, n: number): Buffer =>
    data.subarray(n * MAX_FRAME_BYTES, (n + 1) * MAX_FRAME_BYTES)
  const contents =
    shape === 'permsg'
      ? all.map(({ bytes }) => bytes)
      : Array.from({ length: Math.ceil(data.length / MAX_FRAME_BYTES) }, packed)
  const frames = contents.map((content) => frame(FRAME.data, 0, 0, content))
  const offsets = [0]
  for (const { length } of frames) offsets.push((offsets.at(-1) ?? 0) + length)
  let start = 0
  const digits = all.map(({ bytes, idEnds }, index) => {
    const places = idEnds.flatMap((end) =>
      Array.from({ length: NUMBER_DIGITS }, (_, n) => {
        const at = start + end - NUMBER_DIGITS + n
        const heads = (shape === 'permsg' ? index : Math.floor(at / MAX_FRAME_BYTES)) + 1
        return at + heads * FRAME_HEAD_BYTES
      }),
    )
    start += bytes.length
    return places
  })
  return {
    bytes: Buffer.concat(frames),
    offsets,
    messages: all.length,
    dataBytes: data.length,
    payloadChars: all.reduce((sum, { payload }) => sum + payload.length, 0),
    digits,
  }
}

const blocks = new Map<string, Block>()

export function blockOf(shape: Shape, service: Service): Block {
  const key = shape + service
  const block = blocks.get(key) ?? createBlock(shape, service)
  blocks.set(key, block)
  return block
}

/** Copies a block, and sets the stream of the frames in the copy. */
export function blockOfStream(block: Block, stream: number): Block {
  const bytes = Buffer.from(block.bytes)
  for (const at of block.offsets.slice(0, -1)) bytes.writeUInt32BE(stream, at + 5)
  return { ...block, bytes }
}

/** Writes a number into the ids of one message. */
export function writeNumber({ bytes, digits }: Block, message: number, number: number): void {
  const places = digits[message] ?? []
  let rest = number
  for (let digit = NUMBER_DIGITS - 1; digit >= 0; digit -= 1) {
    const character = DIGIT_ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
    for (let id = digit; id < places.length; id += NUMBER_DIGITS) bytes[places[id] ?? 0] = character
  }
}

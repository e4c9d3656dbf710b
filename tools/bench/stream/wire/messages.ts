/**
 * The messages that are streamed: order events of the fixtures, those that serialize to about 700 bytes, and module
 * events of that kind. No two that are sent on one stream have the same names, so that nothing is a repeat.
 */
import { ModuleSubscribeResponseSchema } from '@brokerwire/protos/module'
import { TradeSubscribeResponseSchema } from '@brokerwire/protos/trade'
import { fromBinary } from '@bufbuild/protobuf'
import wireMessages from '../../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import type { Service } from '../plan.ts'

/** Field 6 (`timestamp`) as a varint. */
const TIMESTAMP_TAG = 0x30
/** Digits at the end of each name, which count the messages of a stream. */
export const NUMBER_DIGITS = 9

export interface BenchMessage {
  readonly bytes: Buffer
  readonly payload: string
  /** Where in `bytes` the digits of each of its names begin. */
  readonly numbersAt: readonly number[]
}

const fixtures = (service: Service, names: RegExp): Buffer[] =>
  wireMessages.messages
    .filter((message) => message.service === service && names.test(message.name))
    .map(({ hex }) => Buffer.from(hex, 'hex'))

/** Where the last digits of a name begin that stands at this place. */
function digitsOf(name: string, at: number): number {
  if (at < 0 || name.length < NUMBER_DIGITS) throw new Error('a fixture has no name to number')
  return at + name.length - NUMBER_DIGITS
}

/** The payload repeats the names: the field's own stands after it on the trade service, before it on the other. */
function tradeMessage(bytes: Buffer): BenchMessage {
  const { payload, requestId } = fromBinary(TradeSubscribeResponseSchema, bytes)
  return { bytes, payload, numbersAt: [digitsOf(requestId, bytes.lastIndexOf(requestId))] }
}

function moduleMessage(bytes: Buffer): BenchMessage {
  const { payload, id, position } = fromBinary(ModuleSubscribeResponseSchema, bytes)
  return {
    bytes,
    payload,
    numbersAt: [id, position].map((name) => digitsOf(name, bytes.indexOf(name))),
  }
}

export const MESSAGES: Readonly<Record<Service, readonly BenchMessage[]>> = {
  trade: fixtures('trade', /^order [A-Z_]+$/)
    .filter(({ length }) => length >= 650 && length <= 800)
    .map(tradeMessage),
  module: fixtures('module', /^(FUNDING|JOURNAL|TRADE|POSITION) /).map(moduleMessage),
}

/** The modules that these events belong to. */
export const BENCH_MODULES = ['funding', 'fees-and-credits', 'journal', 'trade', 'event-contract'] as const

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

/**
 * An order event whose first field says when it was sent: nanoseconds of the machine's monotonic clock.
 *
 * @param number - In its name.
 */
export function stampedMessage(nanoseconds: number, number: number): Buffer {
  const [first] = MESSAGES.trade
  if (first === undefined) throw new Error('no message')
  const named = Buffer.from(first.bytes)
  for (const at of first.numbersAt) named.write(String(number).padStart(NUMBER_DIGITS, '0'), at, 'latin1')
  // The fixture's own timestamp is its last field: of a field that comes twice the last one counts.
  const body = named.subarray(0, named.lastIndexOf(TIMESTAMP_TAG))
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

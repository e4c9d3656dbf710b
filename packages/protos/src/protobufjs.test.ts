/** The static code of protobufjs against protobuf-es: both read and write the same bytes. */
import { type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import protobuf from 'protobufjs/minimal.js'
import { describe, expect, test } from 'vitest'
import marketData from '../../../testdata/fixtures/market-data.json' with { type: 'json' }
import wireMessages from '../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import signatures from '../../../testdata/vectors/stream-signatures.json' with { type: 'json' }
import * as es from './index.ts'
import * as moduleEvents from './protobufjs/module.ts'
import * as market from './protobufjs/quotes.ts'
import * as tradeEvents from './protobufjs/trade.ts'
import * as esMarket from './quotes.ts'
import { fromHex, toHex } from './test/hex.ts'

const { TradeSubscribeRequest, TradeSubscribeResponse, TradeEventType } = tradeEvents
const { ModuleSubscribeRequest, ModuleSubscribeResponse, ModuleMessageType } = moduleEvents

/** The fields of a message of protobuf-es, with 64-bit integers as strings and without unknown fields. */
function fields(message: object): object {
  return JSON.parse(
    JSON.stringify(message, (name, value) =>
      name.startsWith('$') ? undefined : typeof value === 'bigint' ? String(value) : value,
    ),
  )
}

/** The functions of a generated class. */
interface StaticType {
  decode(reader: protobuf.Reader): object
  encode(message: object, writer: protobuf.Writer): protobuf.Writer
  toObject(message: object, options: protobuf.IConversionOptions): object
}

/** A reader that keeps unknown fields. protobufjs discards them by default. */
function readerOf(bytes: Uint8Array): protobuf.Reader {
  const reader = protobuf.Reader.create(bytes)
  reader.discardUnknown = false
  return reader
}

/**
 * The bytes of a message. In workerd with `nodejs_compat`, the default writer fails for long strings, because `Buffer.utf8Write`
 * rejects an offset without a length. A plain writer works everywhere.
 */
const encode = <T>(
  type: { encode(message: T, writer: protobuf.Writer): protobuf.Writer },
  message: T,
): string => toHex(type.encode(message, new protobuf.Writer()).finish())

describe('messages of the event services', () => {
  test.each(wireMessages.messages.map((message) => [message.service, message.name, message] as const))(
    '%s: %s',
    (service, _, { hex, message }) => {
      const bytes = fromHex(hex)
      const isTrade = service === 'trade'
      const type: StaticType = isTrade ? TradeSubscribeResponse : ModuleSubscribeResponse
      const schema = isTrade ? es.TradeSubscribeResponseSchema : es.ModuleSubscribeResponseSchema
      const decoded = type.decode(readerOf(bytes))
      const plain = type.toObject(decoded, { longs: String, defaults: true })
      expect(plain).toEqual(message)
      expect(plain).toEqual(fields(fromBinary<DescMessage>(schema, bytes)))
      expect(encode(type, decoded)).toBe(hex)
    },
  )
})

const TYPES: Record<string, readonly [StaticType, DescMessage]> = {
  quote: [market.MarketQuote, esMarket.MarketQuoteSchema],
  snapshot: [market.MarketSnapshot, esMarket.MarketSnapshotSchema],
  tick: [market.MarketTick, esMarket.MarketTickSchema],
  'event-quote': [market.MarketEventQuote, esMarket.MarketEventQuoteSchema],
  'event-snapshot': [market.MarketEventSnapshot, esMarket.MarketEventSnapshotSchema],
  'event-tick': [market.MarketEventTick, esMarket.MarketEventTickSchema],
}

describe('messages of market data', () => {
  test.each(marketData.messages.map((message) => [message.topic, message.name, message] as const))(
    '%s: %s',
    (topic, _, { hex }) => {
      const bytes = fromHex(hex)
      const [type, schema] = TYPES[topic] ?? []
      if (type === undefined || schema === undefined) throw new Error(`no type for the topic ${topic}`)
      const decoded = type.decode(readerOf(bytes))
      const plain = type.toObject(decoded, { defaults: true, arrays: true })
      expect(plain).toEqual(fields(fromBinary(schema, bytes)))
      expect(encode(type, decoded)).toBe(hex)
    },
  )
})

describe('requests serialize to the bytes that were signed', () => {
  test.each(signatures.client.map((vector, index) => [index, vector] as const))(
    'trade request %d',
    (_, { request, requestHex }) => {
      expect(toHex(TradeSubscribeRequest.encode(TradeSubscribeRequest.fromObject(request)).finish())).toBe(
        requestHex,
      )
    },
  )

  test.each(signatures.module)('$name', ({ request, requestHex }) => {
    expect(toHex(ModuleSubscribeRequest.encode(ModuleSubscribeRequest.create(request)).finish())).toBe(
      requestHex,
    )
  })
})

describe('64-bit integers', () => {
  test.each([
    0n,
    1n,
    -1n,
    1_764_157_239_726n,
    2n ** 53n + 1n,
    -(2n ** 53n) - 1n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ])('%d keeps every digit', (timestamp) => {
    const message = { ...fromBinary(es.TradeSubscribeResponseSchema, new Uint8Array()), timestamp }
    const bytes = toBinary(es.TradeSubscribeResponseSchema, message)
    const decoded = TradeSubscribeResponse.decode(bytes)
    expect(decoded.timestamp.toString()).toBe(String(timestamp))
    expect(TradeSubscribeResponse.toObject(decoded, { longs: String, defaults: true }).timestamp).toBe(
      String(timestamp),
    )
    expect(encode(TradeSubscribeResponse, decoded)).toBe(toHex(bytes))
  })
})

describe('the names', () => {
  test('of messages are those of the entries for protobuf-es', () => {
    const names = (entry: object): string[] =>
      Object.keys(entry)
        .filter((name) => /Schema$/.test(name))
        .map((name) => name.replace(/Schema$/, ''))
    expect(Object.keys({ ...tradeEvents, ...moduleEvents }).sort()).toEqual(names(es).sort())
    expect(Object.keys(market).sort()).toEqual(names(esMarket).sort())
  })

  test('and numbers of enums are those of protobuf-es', () => {
    expect({ ...TradeEventType }).toEqual(numbers(es.TradeEventType))
    expect({ ...ModuleMessageType }).toEqual(numbers(es.ModuleMessageType))
  })
})

function numbers(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'))
}

test('a message that breaks off is an error', () => {
  expect(() => ModuleSubscribeResponse.decode(fromHex('3a05'))).toThrow(RangeError)
})

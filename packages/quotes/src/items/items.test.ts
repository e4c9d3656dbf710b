/** Decoding of payloads: nothing is lost or invented, and an undecodable payload is still delivered. */
import {
  MarketEventQuoteSchema,
  MarketEventSnapshotSchema,
  MarketEventTickSchema,
  MarketQuoteSchema,
  MarketSnapshotSchema,
  MarketTickSchema,
} from '@brokerwire/protos/quotes'
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { kindFromTopic, MessageItem, type QuotesMessage } from './message-items.ts'
import { peekSymbol } from './peek-symbol.ts'

function item(topic: string, payload: Uint8Array): QuotesMessage {
  const symbol = peekSymbol(payload, 0, payload.length)
  const fields = { topic, symbol, payload, connection: 1, receivedAtMs: 5, duplicate: false }
  return new MessageItem({ ...fields, kind: kindFromTopic(topic) }) as QuotesMessage
}

function decoded<Schema extends DescMessage>(
  topic: string,
  schema: Schema,
  init: MessageInitShape<Schema>,
): unknown {
  const result = item(topic, toBinary(schema, create(schema, init))).decode()
  if (!result.ok) throw result.error
  return result.value
}

const basic = { symbol: 'AAPL', instrumentId: '913256135', timestamp: '1767225600123', tradingSession: 'RTH' }
const BASICS = {
  symbol: 'AAPL',
  instrumentId: '913256135',
  timestamp: '1767225600123',
  timestampMs: 1_767_225_600_123,
  tradingSession: 'RTH',
  unknownFields: [],
}

describe('values', () => {
  test('keeps decimals of a snapshot as strings, and omits empty ones', () => {
    const value = decoded('snapshot', MarketSnapshotSchema, {
      basic,
      tradeTime: '1767225600000',
      price: '187.10',
      preClose: '1E+2',
      changeRatio: '0.0111',
      ovnPrice: '187.0000000001',
    })
    expect(value).toEqual({
      ...BASICS,
      tradeTime: '1767225600000',
      tradeTimeMs: 1_767_225_600_000,
      price: '187.10',
      open: undefined,
      high: undefined,
      low: undefined,
      preClose: '1E+2',
      volume: undefined,
      change: undefined,
      changeRatio: '0.0111',
      extended: undefined,
      overnight: {
        tradeTime: undefined,
        tradeTimeMs: undefined,
        price: '187.0000000001',
        high: undefined,
        low: undefined,
        volume: undefined,
        change: undefined,
        changeRatio: undefined,
      },
    })
  })

  test('decodes every field of a snapshot under its own name', () => {
    const names = MarketSnapshotSchema.fields.slice(1).map(({ localName }) => localName)
    const init = Object.fromEntries(names.map((name) => [name, `of ${name}`]))
    const value = decoded('snapshot', MarketSnapshotSchema, { basic, ...init }) as Record<string, unknown>
    const outside = (prefix: string) => ({
      ...Object.fromEntries(
        ['tradeTime', 'price', 'high', 'low', 'volume', 'change', 'changeRatio'].map((name) => [
          name,
          `of ${prefix}${name[0]?.toUpperCase()}${name.slice(1)}`,
        ]),
      ),
      tradeTimeMs: undefined,
    })
    for (const name of names.slice(0, 9)) expect(value[name]).toBe(`of ${name}`)
    expect(value.extended).toEqual(outside('ext'))
    expect(value.overnight).toEqual(outside('ovn'))
  })

  test('decodes market participants and brokers of a quote, with string ids', () => {
    expect(
      decoded('quote', MarketQuoteSchema, {
        basic,
        asks: [{ price: '2', size: '5', order: [{ mpid: 'NSDQ', size: '5' }] }, { price: '3' }],
        bids: [{ price: '1', size: '7', broker: [{ bid: '0007', name: 'N' }] }],
      }),
    ).toEqual({
      ...BASICS,
      asks: [
        { price: '2', size: '5', orders: [{ mpid: 'NSDQ', size: '5' }], brokers: [] },
        { price: '3', size: undefined, orders: [], brokers: [] },
      ],
      bids: [{ price: '1', size: '7', orders: [], brokers: [{ id: '0007', name: 'N' }] }],
    })
  })

  test('decodes a tick, also with an unknown side', () => {
    expect(
      decoded('tick', MarketTickSchema, { basic, time: '5', price: '1.0', volume: '100', side: 'Z' }),
    ).toEqual({ ...BASICS, time: '5', timeMs: 5, price: '1.0', volume: '100', side: 'Z' })
  })

  test('decodes messages of event contracts', () => {
    const names = MarketEventSnapshotSchema.fields.slice(1).map(({ localName }) => localName)
    const init = Object.fromEntries(names.map((name) => [name, `of ${name}`]))
    expect(decoded('event-snapshot', MarketEventSnapshotSchema, { basic, ...init })).toEqual({
      ...BASICS,
      ...init,
      lastTradeTimeMs: undefined,
    })
    const tick = { yesPrice: '0.4', noPrice: '0.6', volume: '1', side: 'B', tradeId: 'T', time: '9' }
    expect(decoded('event-tick', MarketEventTickSchema, { basic, ...tick })).toEqual({
      ...BASICS,
      ...tick,
      timeMs: 9,
    })
    expect(
      decoded('event-quote', MarketEventQuoteSchema, { basic, yesBids: [{ price: '0.4', size: '3' }] }),
    ).toEqual({ ...BASICS, yesBids: [{ price: '0.4', size: '3' }], noBids: [] })
  })

  test.each([
    ['', undefined, undefined],
    ['12.5', '12.5', undefined],
    ['-5', '-5', undefined],
    ['1e3', '1e3', undefined],
    [' 5', ' 5', undefined],
    ['9999999999999999', '9999999999999999', undefined],
    ['0', '0', 0],
  ])('the instant %j', (timestamp, text, number) => {
    expect(decoded('tick', MarketTickSchema, { basic: { symbol: 'A', timestamp } })).toMatchObject({
      timestamp: text,
      timestampMs: number,
    })
  })

  test('keeps unknown fields with their path', () => {
    // asks { price "1", field 7 "x" }, basic { symbol "A", field 9 varint 5 }, field 31 fixed32.
    const bytes = Uint8Array.from([
      0x0a, 5, 0x0a, 1, 0x41, 0x48, 5, 0x12, 6, 0x0a, 1, 0x31, 0x3a, 1, 0x78, 0xfd, 1, 1, 2, 3, 4,
    ])
    const result = item('quote', bytes).decode()
    expect(result).toMatchObject({
      ok: true,
      value: {
        symbol: 'A',
        unknownFields: [
          { within: '', no: 31, wireType: 5, data: Uint8Array.of(1, 2, 3, 4) },
          { within: 'basic', no: 9, wireType: 0, data: Uint8Array.of(5) },
          { within: 'asks[0]', no: 7, wireType: 2, data: Uint8Array.of(1, 0x78) },
        ],
      },
    })
  })
})

describe('malformed payloads', () => {
  test('have their kind, their bytes, and an error that does not show them', () => {
    const bytes = new TextEncoder().encode('{"price":"secret"}')
    const broken = item('snapshot', bytes)
    expect(broken).toMatchObject({ kind: 'snapshot', symbol: undefined })
    const result = broken.decode()
    expect(result).toMatchObject({ ok: false, raw: bytes, error: { code: 'QUOTES_PAYLOAD_INVALID' } })
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  test('have their bytes as value if the topic is unknown', () => {
    for (const topic of ['trade', 'constructor', '__proto__', 'QUOTE', 'prefix/quote']) {
      const other = item(topic, Uint8Array.of(1, 2))
      expect(other).toMatchObject({ kind: 'unknown', topic })
      expect(other.decode()).toEqual({ ok: true, value: Uint8Array.of(1, 2) })
    }
  })

  test('never make decode() throw', () => {
    const topics = fc.constantFrom(
      'quote',
      'snapshot',
      'tick',
      'event-quote',
      'event-snapshot',
      'event-tick',
      'x',
    )
    fc.assert(
      fc.property(topics, fc.uint8Array({ maxLength: 60 }), (topic, bytes) => {
        expect(typeof item(topic, bytes).decode().ok).toBe('boolean')
      }),
      { numRuns: inject('isFullRun') ? 2000 : 200 },
    )
  })
})

describe('the symbol of an undecoded payload', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('', 'AAPL', '00700', 'KXNBAGAME-25NOV-LAC', '\u00e9'),
  )
  test('is the same as after decoding', () => {
    fc.assert(
      fc.property(text, text, text, (symbol, instrumentId, price) => {
        fc.pre(!symbol.startsWith('\ufeff'))
        const message = create(MarketTickSchema, { basic: { symbol, instrumentId }, price })
        const bytes = toBinary(MarketTickSchema, message)
        expect(peekSymbol(Uint8Array.from([1, 2, ...bytes, 3]), 2, 2 + bytes.length)).toBe(
          symbol || undefined,
        )
      }),
      { numRuns: inject('isFullRun') ? 1000 : 100 },
    )
  })

  test.each([
    ['basic behind other fields', [0x1a, 1, 0x31, 0x0a, 3, 0x0a, 1, 0x41], 'A'],
    ['the symbol behind another field of basic', [0x0a, 6, 0x12, 1, 0x39, 0x0a, 1, 0x41], 'A'],
    ['no basic', [0x1a, 1, 0x31], undefined],
    ['nothing', [], undefined],
    ['a symbol longer than basic', [0x0a, 3, 0x0a, 9, 0x41], undefined],
    ['basic longer than the payload', [0x0a, 9, 0x0a, 1, 0x41], undefined],
    ['a symbol that is not UTF-8', [0x0a, 3, 0x0a, 1, 0xff], undefined],
  ])('%s', (_, bytes, symbol) => {
    expect(peekSymbol(Uint8Array.from(bytes), 0, bytes.length)).toBe(symbol)
  })
})

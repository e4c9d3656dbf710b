import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import * as market from './quotes.ts'
import { fromHex, toHex } from './test/hex.ts'

describe('the market data messages', () => {
  const session = 'trade_time price high low volume change change_ratio'.split(' ')
  test.each([
    ['Basic', market.MarketBasicSchema, 'symbol instrument_id timestamp trading_session'],
    ['Quote', market.MarketQuoteSchema, 'basic asks* bids*'],
    ['AskBid', market.MarketAskBidSchema, 'price size order* broker*'],
    ['Order', market.MarketOrderSchema, 'mpid size'],
    ['Broker', market.MarketBrokerSchema, 'bid name'],
    [
      'Snapshot',
      market.MarketSnapshotSchema,
      [
        'basic trade_time price open high low pre_close volume change change_ratio',
        ...session.map((name) => `ext_${name}`),
        ...session.map((name) => `ovn_${name}`),
      ].join(' '),
    ],
    ['Tick', market.MarketTickSchema, 'basic time price volume side'],
    ['EventQuote', market.MarketEventQuoteSchema, 'basic yes_bids* no_bids*'],
    ['EventAskBid', market.MarketEventAskBidSchema, 'price size'],
    [
      'EventSnapshot',
      market.MarketEventSnapshotSchema,
      'basic price volume last_trade_time open_interest yes_ask yes_bid yes_ask_size yes_bid_size no_ask no_bid no_ask_size no_bid_size',
    ],
    ['EventTick', market.MarketEventTickSchema, 'basic yes_price no_price volume side trade_id time'],
  ])('%s: fields in the order of their tags, 1, 2, 3', (_, schema, names) => {
    expect(
      schema.fields.map((field) => `${field.number} ${field.name}${field.fieldKind === 'list' ? '*' : ''}`),
    ).toEqual(names.split(' ').map((name, index) => `${index + 1} ${name}`))
  })

  test('have strings as scalars', () => {
    const scalars = market.marketDataFile.messages.flatMap(({ fields }) =>
      fields.filter((field) => field.message === undefined).map((field) => field.proto.type),
    )
    expect(scalars.length).toBe(57)
    // FieldDescriptorProto.Type.STRING.
    expect(new Set(scalars)).toEqual(new Set([9]))
  })
})

test('a tick is decoded from bytes that were written by hand', () => {
  // basic { symbol "AAPL", timestamp "17" }, time "18", price "1.50", side "B", and an unknown field 9.
  const hex = '0a0a0a044141504c1a023137' + '12023138' + '1a04312e3530' + '2a0142' + '4a0158'
  const tick = fromBinary(market.MarketTickSchema, fromHex(hex))
  expect(tick).toMatchObject({
    basic: { symbol: 'AAPL', instrumentId: '', timestamp: '17', tradingSession: '' },
    time: '18',
    price: '1.50',
    volume: '',
    side: 'B',
  })
  expect(tick.$unknown).toMatchObject([{ no: 9 }])
  expect(toHex(toBinary(market.MarketTickSchema, tick))).toBe(hex)
})

test("a broker's id is a string, not a price", () => {
  const level = create(market.MarketAskBidSchema, {
    price: '1',
    size: '2',
    broker: [{ bid: '0700', name: 'N' }],
  })
  expect(fromBinary(market.MarketAskBidSchema, toBinary(market.MarketAskBidSchema, level))).toEqual(level)
})

/** Requests and responses of operations, in both path families. */
import { Secret } from '@brokerwire/core'
import { decoder } from '@brokerwire/payloads'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  batchPlaceOrders,
  checkAccessToken,
  defineOperation,
  definePagedOperation,
  field,
  getBalance,
  getConfig,
  isOperationsError,
  listAccounts,
  listBars,
  listOrderHistory,
  listSnapshots,
  type NewOrder,
  nothing,
  type OperationDefinition,
  type OperationRequestOptions,
  placeOrder,
} from './index.ts'
import { response } from './test/response.ts'

const CURRENT: OperationRequestOptions = { pathFamily: 'current' }
const OPENAPI: OperationRequestOptions = { pathFamily: 'openapi' }
/** Replaces the functions that read the input of a row, so that another version may have other fields. */
const INPUT_FREE = { headers: undefined, check: undefined, rateLimits: undefined }

const ORDER: NewOrder = {
  clientOrderId: 'a-1',
  comboType: 'NORMAL',
  instrumentType: 'EQUITY',
  market: 'US',
  symbol: 'AAPL',
  side: 'BUY',
  orderType: 'LIMIT',
  entrustType: 'QTY',
  timeInForce: 'DAY',
  supportTradingSession: 'CORE',
  quantity: '1.50',
  limitPrice: '200.10',
}
const place = (order: object): unknown => ({ accountId: 'A1', newOrders: [{ ...ORDER, ...order }] })

describe('a request', () => {
  test('has path, version and field names of the wire', () => {
    const request = placeOrder.createRequest({ accountId: 'A1', newOrders: [ORDER] }, CURRENT)
    expect(request).toMatchObject({
      method: 'POST',
      path: '/trading/orders/place',
      apiVersion: 'v3',
      query: [],
    })
    expect(request.json).toEqual({
      account_id: 'A1',
      new_orders: [
        {
          client_order_id: 'a-1',
          combo_type: 'NORMAL',
          instrument_type: 'EQUITY',
          market: 'US',
          symbol: 'AAPL',
          side: 'BUY',
          order_type: 'LIMIT',
          entrust_type: 'QTY',
          time_in_force: 'DAY',
          support_trading_session: 'CORE',
          quantity: '1.50',
          limit_price: '200.10',
        },
      ],
    })
  })

  test('carries the category of the first order, or of its option leg', () => {
    expect(placeOrder.createRequest({ accountId: 'A1', newOrders: [ORDER] }, CURRENT).headers).toEqual({
      category: 'US_EQUITY',
    })
    const leg = { side: 'BUY', symbol: 'AAPL', market: 'US', instrumentType: 'OPTION' } as const
    const order: NewOrder = { ...ORDER, legs: [leg] }
    expect(placeOrder.createRequest({ accountId: 'A1', newOrders: [order] }, CURRENT).headers).toEqual({
      category: 'US_OPTION',
    })
  })

  test('of a batch checks each order, and carries the category of the first one', () => {
    const batch = { ...ORDER, entrustType: 'QTY', supportTradingSession: 'CORE', quantity: '2' } as const
    const request = batchPlaceOrders.createRequest({ accountId: 'A1', batchOrders: [batch] }, CURRENT)
    expect(request).toMatchObject({ path: '/trading/orders/batch-place', headers: { category: 'US_EQUITY' } })
    const batchOrders = [batch, { ...batch, limitPrice: undefined }]
    expect(() => batchPlaceOrders.createRequest({ accountId: 'A1', batchOrders }, CURRENT)).toThrow(
      'orders.batch-place: batchOrders[1].limitPrice must be set for orderType "LIMIT" with entrustType "QTY"',
    )
  })

  test('of the earlier path family has its path and version', () => {
    const request = listAccounts.createRequest({}, OPENAPI)
    expect(request).toMatchObject({ path: '/openapi/account/list', apiVersion: 'v2', json: undefined })
  })

  test('sends numbers, truth values and lists as text in a query', () => {
    const input = {
      symbols: ['AAPL', 'TSLA'],
      category: 'US_STOCK',
      extendHourRequired: false,
      overnightRequired: true,
    }
    expect(listSnapshots.createRequest(input, CURRENT).query).toEqual([
      ['symbols', 'AAPL,TSLA'],
      ['category', 'US_STOCK'],
      ['extend_hour_required', 'false'],
      ['overnight_required', 'true'],
    ])
  })

  test('keeps numbers, truth values and lists in a body', () => {
    const input = { symbols: ['AAPL'], category: 'US_STOCK', timespan: 'D', count: 5, realTimeRequired: true }
    expect(listBars.createRequest(input, CURRENT).json).toEqual({
      symbols: ['AAPL'],
      category: 'US_STOCK',
      timespan: 'D',
      count: 5,
      real_time_required: true,
    })
  })

  test('leaves out fields that are undefined or null', () => {
    const input = place({ stopPrice: undefined, triggerPriceType: null }) as never
    const orders = placeOrder.createRequest(input, CURRENT).json?.new_orders
    expect(Object.keys((orders as readonly object[])[0] ?? {})).toHaveLength(12)
  })

  test('sends unknown values of an enumeration, because the service decides', () => {
    const input = place({ orderType: 'PEGGED' }) as never
    expect(placeOrder.createRequest(input, CURRENT).json).toMatchObject({
      new_orders: [{ order_type: 'PEGGED' }],
    })
  })

  test('sends extraFields in each object as they are', () => {
    const input = { ...(place({ extraFields: { new_field: 7 } }) as object), extraFields: { dry: true } }
    expect(placeOrder.createRequest(input as never, CURRENT).json).toMatchObject({
      dry: true,
      new_orders: [{ new_field: 7 }],
    })
  })

  test.each([{ later: undefined }, { later: null }])(
    'leaves %o of extraFields out of a query',
    (extraFields) => {
      const { query } = getBalance.createRequest({ accountId: 'A1', extraFields }, CURRENT)
      expect(query).toEqual([['account_id', 'A1']])
    },
  )

  test('has a Secret in its body, so that the client does not show the text in errors', () => {
    for (const token of ['t0ken', new Secret('t0ken')]) {
      const { token: sent } = checkAccessToken.createRequest({ token }, CURRENT).json ?? {}
      expect(sent).toBeInstanceOf(Secret)
      expect((sent as Secret).reveal()).toBe('t0ken')
    }
  })

  test('has the text of a Secret in its query', () => {
    const find = defineOperation(
      {
        name: 'find',
        method: 'GET',
        paths: { current: '/find' },
        fields: { key: field.secret },
        retry: 'always',
        sources: [],
        confidence: 'guessed',
      },
      listAccounts.decoder,
    )
    expect(find.createRequest({ key: new Secret('k1') }, CURRENT).query).toEqual([['key', 'k1']])
  })

  test('ignores inherited properties', () => {
    const input = Object.create({ accountId: 'A1' }) as never
    expect(() => getBalance.createRequest(input, CURRENT)).toThrow('missing fields: accountId')
  })
})

describe('a wrong input fails before a request is sent', () => {
  test.each([
    ['a missing object', undefined, 'orders.place: input must be an object; received undefined'],
    ['missing fields', { newOrders: undefined }, 'orders.place: missing fields: accountId, newOrders'],
    ['an unknown field', place({ limitprice: '1' }), 'Did you mean "limitPrice"?'],
    [
      'a number as a decimal',
      place({ quantity: 1.5 }),
      'newOrders[0].quantity must be a decimal as a string',
    ],
    [
      'a decimal with a comma',
      place({ quantity: '1,5' }),
      'newOrders[0].quantity must be a decimal as a string',
    ],
    [
      'a long id',
      place({ clientOrderId: 'x'.repeat(33) }),
      'newOrders[0].clientOrderId must be 1 to 32 letters',
    ],
    [
      'a missing limit price',
      place({ limitPrice: undefined }),
      'limitPrice must be set for orderType "LIMIT"',
    ],
    [
      'a missing stop price',
      place({ orderType: 'STOP_LOSS' }),
      'stopPrice must be set for orderType "STOP_LOSS"',
    ],
    ['a missing amount', place({ entrustType: 'AMOUNT' }), 'totalCashAmount must be set'],
    [
      'no orders',
      { accountId: 'A1', newOrders: [] },
      'newOrders must be an array of 1 to 7 items; received 0 items',
    ],
    ['an impossible date', place({ expireDate: '2026-02-30' }), 'newOrders[0].expireDate must be a date'],
    [
      'a field of the other family',
      place({ trailingLimitPrice: '1' }),
      'exists only in the path family "openapi"',
    ],
    [
      'extraFields that the operation sets',
      place({ extraFields: { side: 'SELL' } }),
      'newOrders[0].extraFields must not contain "side"',
    ],
  ])('%s', (_, input, message) => {
    const attempt = () => placeOrder.createRequest(input as never, CURRENT)
    expect(attempt).toThrow(message)
    expect(attempt).toThrow(expect.objectContaining({ code: 'OPERATION_INPUT_INVALID', retryable: false }))
  })

  test.each([{ n: 1 }, Number.NaN, [[1]], new Date(0), () => 1])('%o in a query', (later) => {
    const attempt = () => getBalance.createRequest({ accountId: 'A1', extraFields: { later } }, CURRENT)
    expect(attempt).toThrow('accounts.balance: later must be a string, a number, true, false or an array')
    expect(attempt).toThrow(expect.objectContaining({ code: 'OPERATION_INPUT_INVALID' }))
  })

  test.each([
    { symbols: ['BRK,B'], extraFields: undefined, name: 'symbols' },
    { symbols: ['AAPL'], extraFields: { groups: ['a', 'b,c'] }, name: 'groups' },
  ])('a comma in an item of $name, because a query joins items with commas', ({ name, ...more }) => {
    const input = { category: 'US_STOCK', extendHourRequired: false, overnightRequired: false, ...more }
    expect(() => listSnapshots.createRequest(input, CURRENT)).toThrow(
      `stocks.snapshots: ${name} must be an array of items without commas`,
    )
  })

  test('a value that may be a secret is not part of the message', () => {
    const attempt = () => placeOrder.createRequest(place({ quantity: 'secret-text' }) as never, CURRENT)
    expect(attempt).toThrow(expect.not.stringContaining('secret-text') as never)
  })

  test('has the API version of its path, by default that of its family', () => {
    const own = defineOperation({ ...listAccounts, apiVersions: { current: 'v2' } }, listAccounts.decoder)
    expect([CURRENT, OPENAPI].map((options) => own.createRequest({}, options).apiVersion)).toEqual([
      'v2',
      'v2',
    ])
    expect(listAccounts.createRequest({}, CURRENT).apiVersion).toBe('v3')
  })

  test('a guessed field needs allowGuessed', () => {
    const guess = defineOperation(
      {
        name: 'guess',
        method: 'POST',
        paths: { current: '/guess' },
        fields: { later: field.optional(field.string(), { confidence: 'guessed' }) },
        retry: 'never',
        sources: [],
        confidence: 'guessed',
      },
      listAccounts.decoder,
    )
    expect(() => guess.createRequest({ later: 'x' }, CURRENT)).toThrow('Set "allowGuessed: true"')
    expect(guess.createRequest({ later: 'x' }, { ...CURRENT, allowGuessed: true }).json).toEqual({
      later: 'x',
    })
    expect(guess.createRequest({}, CURRENT).json).toEqual({})
  })

  test('names of Object.prototype are ordinary names', () => {
    const fields = { constructor: field.string(), toString: field.optional(field.string()) }
    const named = defineOperation({ ...listAccounts, method: 'POST', fields }, listAccounts.decoder)
    const input = { constructor: 'a', extraFields: JSON.parse('{"__proto__":"b"}') }
    expect(JSON.stringify(named.createRequest(input as never, CURRENT).json)).toBe(
      '{"constructor":"a","__proto__":"b"}',
    )
    expect(() => named.createRequest({} as never, CURRENT)).toThrow('constructor')
  })

  test('a family without the operation names the other one', () => {
    expect(() => getConfig.createRequest({}, CURRENT)).toThrow(
      'config.get has no path in the path family "current"; set pathFamily: "openapi"',
    )
  })
})

describe('a response', () => {
  const request = listAccounts.createRequest({}, CURRENT)

  test('keeps decimals exact, unknown fields and unknown values', () => {
    const body =
      '{"total_asset_currency":"USD","total_cash_balance":"3.05E8","total_market_value":12.500000000000000001,"later":{"n":1},"account_currency_assets":[{"currency":"XYZ","cash_balance":""}]}'
    const { data, issues } = getBalance.readResponse(response(body), request)
    expect(data.totalCashBalance).toBe('3.05E8')
    expect(data.totalMarketValue).toBe('12.500000000000000001')
    expect(data.accountCurrencyAssets[0]?.currency).toBe('XYZ')
    expect(data.accountCurrencyAssets[0]?.cashBalance).toBeUndefined()
    expect({ ...data.extra }).toEqual({ later: { n: 1 } })
    expect(issues).toEqual([])
  })

  test.each([
    { received: '["RM","DT"]', calls: ['RM', 'DT'] },
    { received: '"RM"', calls: ['RM'] },
    { received: '""', calls: [] },
    { received: 'null', calls: undefined },
  ])('has open margin calls $calls for $received, because documents and responses differ', (example) => {
    const body = `{"total_asset_currency":"USD","day_trades_left":"UNLIMITED","open_margin_calls":${example.received},"account_currency_assets":[]}`
    const { data, issues } = getBalance.readResponse(response(body), request)
    expect(data.openMarginCalls).toEqual(example.calls)
    expect(data.dayTradesLeft).toBe('UNLIMITED')
    expect(issues).toEqual([])
  })

  test('reports a value that cannot be decoded, and keeps it', () => {
    const body = '[{"account_id":"A1","account_number":{"not":"text"}}]'
    const { data, issues } = listAccounts.readResponse(response(body), request)
    expect(data[0]?.accountNumber).toBeUndefined()
    expect({ ...data[0]?.extra }).toEqual({ account_number: { not: 'text' } })
    expect(issues).toMatchObject([{ code: 'wrong-type', path: [0, 'account_number'] }])
  })

  test('that cannot be decoded is an error that has the response, and no value of it', () => {
    const body = '[{"account_id":null,"secret":"s3cret"}]'
    const received = response(body)
    try {
      listAccounts.readResponse(received, request)
      expect.unreachable()
    } catch (error) {
      if (!isOperationsError(error, 'OPERATION_RESPONSE_INVALID')) throw error
      expect(error.message).toContain('[0].account_id: expected text')
      expect(error.response).toBe(received)
      expect(JSON.stringify(error)).not.toContain('s3cret')
      expect(error.details).toMatchObject({ operation: 'accounts.list', status: 200, requestId: 'r1' })
    }
  })

  test.each([
    ['<html>', 'expected JSON; received HTML or XML'],
    ['', 'expected JSON; received an empty body'],
    ['OK', 'expected JSON; received other text'],
    ['[{}]', '[0].account_id is missing'],
    ['[{},{},{},{},{}]', '[2].account_id is missing; and 2 more'],
  ])('of another form is an error that states the problem: %s', (body, problem) => {
    expect(() => listAccounts.readResponse(response(body), request)).toThrow(
      expect.objectContaining({
        code: 'OPERATION_RESPONSE_INVALID',
        message: expect.stringMatching(/the service answered with 200, and its response cannot be decoded: /),
      }),
    )
    expect(() => listAccounts.readResponse(response(body), request)).toThrow(`${problem}. "error.response"`)
  })

  test.each(['', 'null', '{"deleted":true}'])('without a value is decoded by nothing: %o', (body) => {
    const empty = defineOperation({ ...listAccounts }, nothing)
    expect(empty.readResponse(response(body), request)).toEqual({ data: undefined, issues: [] })
  })

  test('may begin with a byte order mark', () => {
    const { data } = listAccounts.readResponse(response('\ufeff[{"account_id":"A1"}]'), request)
    expect(data[0]?.accountId).toBe('A1')
  })

  test('that is not text, or whose decoder throws, is an error that has the response', () => {
    const thrown = new Error('of the decoder')
    const throwing = (error: unknown) => () => {
      throw error
    }
    const own = defineOperation({ ...listAccounts }, decoder({ kind: 'string' }, throwing(thrown)))
    const notText = { ...response(''), text: throwing(thrown) }
    for (const read of [
      () => own.readResponse(response('[]'), request),
      () => listAccounts.readResponse(notText, request),
    ]) {
      expect(read).toThrow(
        expect.objectContaining({
          code: 'OPERATION_RESPONSE_INVALID',
          cause: thrown,
          response: expect.objectContaining({ status: 200 }),
        }),
      )
    }
  })
})

describe('a page', () => {
  const group = (id: string) => ({
    combo_type: 'NORMAL',
    orders: [{ client_order_id: id, symbol: 'AAPL', side: 'BUY', order_type: 'LIMIT', status: 'FILLED' }],
  })
  const groups = (count: number) => Array.from({ length: count }, (_, index) => group(`o${index}`))

  test('of the current family continues with its key', () => {
    const request = listOrderHistory.createRequest({ accountId: 'A1' }, CURRENT)
    const body = JSON.stringify({ data: groups(2), pagination_key: 'k1', total: 9 })
    const { data } = listOrderHistory.readResponse(response(body), request)
    expect(data.items.map(({ orders }) => orders[0]?.clientOrderId)).toEqual(['o0', 'o1'])
    expect(data.next).toEqual({ paginationKey: 'k1' })
    expect({ ...data.extra }).toEqual({ total: 9 })
  })

  test.each(['{"data":[]}', '{"data":[],"pagination_key":null}', '{"data":[],"pagination_key":""}'])(
    'of the current family without a key is the last one: %s',
    (body) => {
      const request = listOrderHistory.createRequest({ accountId: 'A1' }, CURRENT)
      expect(listOrderHistory.readResponse(response(body), request).data.next).toBeUndefined()
    },
  )

  test.each([
    { count: 10, pageSize: undefined, next: { lastClientOrderId: 'o9' } },
    { count: 9, pageSize: undefined, next: undefined },
    { count: 20, pageSize: 20, next: { lastClientOrderId: 'o19' } },
    { count: 19, pageSize: 20, next: { lastClientOrderId: 'o18' } },
    { count: 9, pageSize: 20, next: undefined },
    { count: 21, pageSize: 20, next: { lastClientOrderId: 'o20' } },
    { count: 0, pageSize: 20, next: undefined },
  ])(
    'of the earlier family with $count items of $pageSize continues after the last id',
    ({ count, pageSize, next }) => {
      const request = listOrderHistory.createRequest({ accountId: 'A1', pageSize }, OPENAPI)
      const { data } = listOrderHistory.readResponse(response(JSON.stringify(groups(count))), request)
      expect(data.items).toHaveLength(count)
      expect(data.next).toEqual(next)
    },
  )
})

describe('a page whose next page cannot be requested is an error, so that a list never ends early', () => {
  const undecodable = expect.objectContaining({
    code: 'OPERATION_RESPONSE_INVALID',
    response: expect.objectContaining({ status: 200 }),
  })

  test('because its key is no string', () => {
    const request = listOrderHistory.createRequest({ accountId: 'A1' }, CURRENT)
    const body = '{"data":[],"pagination_key":{"id":1}}'
    expect(() => listOrderHistory.readResponse(response(body), request)).toThrow(undecodable)
  })

  test.each([undefined, ''])('because its last item has no id: %o', (id) => {
    const { pagination } = listOrderHistory
    if (pagination === undefined) throw new Error('listOrderHistory has a path in the earlier family')
    const list = definePagedOperation(listOrderHistory, listOrderHistory.decoder, {
      ...pagination,
      idOf: () => id,
    })
    const request = list.createRequest({ accountId: 'A1' }, OPENAPI)
    const body = JSON.stringify(Array.from({ length: 10 }, () => ({ orders: [] })))
    expect(() => list.readResponse(response(body), request)).toThrow(undecodable)
  })

  test('does not end before the last page if the service sends fewer items than requested', () => {
    const { pagination } = listOrderHistory
    if (pagination === undefined) throw new Error('listOrderHistory has a path in the earlier family')
    const list = definePagedOperation(listOrderHistory, listOrderHistory.decoder, {
      ...pagination,
      idOf: () => 'o1',
    })
    const request = list.createRequest({ accountId: 'A1', pageSize: 100 }, OPENAPI)
    const nextAfter = (length: number) =>
      list.readResponse(response(JSON.stringify(Array.from({ length }, () => ({ orders: [] })))), request)
        .data.next
    expect(nextAfter(50)).toEqual({ lastClientOrderId: 'o1' })
    expect(nextAfter(9)).toBeUndefined()
  })
})

describe('a definition', () => {
  test('that changes the path of another one keeps the types and the pages', () => {
    const changed = defineOperation({ ...getBalance, paths: { current: '/balance' } }, getBalance.decoder)
    expectTypeOf(changed).toEqualTypeOf(getBalance)
    const { decoder, pagination } = listOrderHistory
    const paged = definePagedOperation(
      { ...listOrderHistory, paths: { openapi: '/history' } },
      decoder,
      pagination,
    )
    expectTypeOf(paged).toEqualTypeOf(listOrderHistory)
    const request = paged.createRequest({ accountId: 'A1' }, OPENAPI)
    expect(request.path).toBe('/history')
    expect(paged.readResponse(response('[]'), request).data).toEqual({
      items: [],
      next: undefined,
      extra: {},
    })
  })

  test('with the same path in both families has pages of the family of the request', () => {
    const { decoder, pagination } = listOrderHistory
    const path = '/trading/orders/historical-orders/list'
    const same = definePagedOperation(
      { ...listOrderHistory, paths: { current: path, openapi: path } },
      decoder,
      pagination,
    )
    const keyed = same.readResponse(
      response('{"data":[],"pagination_key":"k1"}'),
      same.createRequest({ accountId: 'A1' }, CURRENT),
    )
    expect(keyed.data.next).toEqual({ paginationKey: 'k1' })
    const order = { client_order_id: 'o1', symbol: 'A', side: 'BUY', order_type: 'LIMIT', status: 'FILLED' }
    const listed = same.readResponse(
      response(JSON.stringify(Array.from({ length: 10 }, () => ({ orders: [order] })))),
      same.createRequest({ accountId: 'A1' }, OPENAPI),
    )
    expect(listed.data.next).toEqual({ lastClientOrderId: 'o1' })
  })

  test('with pages of a POST reads the page size from its body', () => {
    const list = definePagedOperation({ ...listOrderHistory, method: 'POST' }, listOrderHistory.decoder, {
      cursor: 'lastClientOrderId',
      idOf: () => 'o1',
      pageSize: 'pageSize',
      defaultPageSize: 30,
    })
    const request = list.createRequest({ accountId: 'A1', pageSize: 20 }, OPENAPI)
    const nextAfter = (length: number) =>
      list.readResponse(response(JSON.stringify(Array.from({ length }, () => ({ orders: [] })))), request)
        .data.next
    expect(nextAfter(19)).toBeUndefined()
    expect(nextAfter(20)).toEqual({ lastClientOrderId: 'o1' })
  })

  test('of another one may change its fields, if the functions of its input are replaced', () => {
    const fields = { ...getBalance.fields, accountId: field.optional(field.string()) }
    const changed = defineOperation({ ...getBalance, ...INPUT_FREE, fields }, getBalance.decoder)
    expect(changed.createRequest({}, CURRENT).query).toEqual([])
    const paged = definePagedOperation(
      { ...listOrderHistory, ...INPUT_FREE, fields: { ...listOrderHistory.fields, ...fields } },
      listOrderHistory.decoder,
      listOrderHistory.pagination,
    )
    expect(paged.createRequest({}, OPENAPI).query).toEqual([])
  })

  test('with a required field that has another name on the wire sends that name', () => {
    const named = defineOperation(
      {
        ...listAccounts,
        ...INPUT_FREE,
        fields: { account: field.required(field.string(), { wire: 'acct' }) },
      },
      listAccounts.decoder,
    )
    expect(named.createRequest({ account: 'A1' }, CURRENT).query).toEqual([['acct', 'A1']])
  })
})

describe('a function of a definition', () => {
  const FIELDS = { a: field.string() }
  const create = (more: object) =>
    defineOperation(
      { ...getBalance, fields: FIELDS, ...INPUT_FREE, ...more },
      getBalance.decoder,
    ).createRequest({ a: '1' }, CURRENT)
  type Check = NonNullable<OperationDefinition<typeof FIELDS>['check']>

  test('that returns the error of fail() rejects the input, as if it threw it', () => {
    const check: Check = ({ a }, fail) => fail('a', 'less than b', a)
    expect(() => create({ check })).toThrow(
      expect.objectContaining({
        code: 'OPERATION_INPUT_INVALID',
        message: expect.stringContaining('less than b'),
      }),
    )
  })

  test.each([
    [() => false, 'boolean'],
    [() => true, 'boolean'],
    [() => Promise.reject(new Error('late')), 'a promise'],
    [async () => undefined, 'a promise'],
  ])('%o checks nothing and is an error', (check, received) => {
    expect(() => create({ check })).toThrow(
      expect.objectContaining({
        code: 'OPERATION_DEFINITION_INVALID',
        details: {
          operation: getBalance.name,
          problems: [`check must return nothing; received ${received}. Throw what fail() returns`],
        },
      }),
    )
  })

  test.each(['check', 'headers', 'rateLimits'])(
    '%s that is written for other fields is named in the error',
    (name) => {
      const old = ({ newOrders }: { newOrders: readonly string[] }) => newOrders[0]
      expect(() => create({ [name]: old })).toThrow(
        expect.objectContaining({
          code: 'OPERATION_DEFINITION_INVALID',
          message: expect.stringContaining(
            `${name} must not throw other errors than those of fail(); received TypeError`,
          ),
          cause: expect.any(TypeError),
        }),
      )
    },
  )
})

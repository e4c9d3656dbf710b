/** `brokerwire api` with the simulator as a process. */
import { OPERATIONS, openApiDocument } from '@brokerwire/operations/table'
import { describe, expect, test } from 'vitest'
import { exampleLine } from '../api/commands.ts'
import { startService, temporaryStore } from '../test/service.ts'
import { temporaryFile } from '../test/temporary.ts'

const service = await startService('--environment', 'sandbox', '--scenario', 'none', '--rate-limit', 'off')
const production = await startService('--scenario', 'none', '--rate-limit', 'off')
const SECRET = service.env.BROKERWIRE_APP_SECRET ?? ''
const TOKEN = '0123456789abcdef0123456789abcdef'
const ACCOUNT = service.env.BROKERWIRE_ACCOUNTS?.split(',')[0] ?? ''

/** Flags of an order that stays open: its limit is far below the price. */
const orderFlags = (clientOrderId: string, account = ACCOUNT): string[] =>
  [
    ['--account', account],
    ['--client-order-id', clientOrderId],
    ['--combo-type', 'NORMAL'],
    ['--instrument-type', 'EQUITY'],
    ['--market', 'US'],
    ['--symbol', 'AAPL'],
    ['--side', 'BUY'],
    ['--order-type', 'LIMIT'],
    ['--limit-price', '10.00'],
    ['--entrust-type', 'QTY'],
    ['--quantity', '1'],
    ['--time-in-force', 'DAY'],
    ['--support-trading-session', 'CORE'],
  ].flat()

const without = (flags: readonly string[], ...names: readonly string[]): string[] =>
  flags.filter((_, index) => !names.includes(flags[index - (index % 2)] ?? ''))

/** An order with the field names of the table. */
const order = {
  clientOrderId: 'from-a-file',
  comboType: 'NORMAL',
  instrumentType: 'EQUITY',
  market: 'US',
  symbol: 'AAPL',
  side: 'BUY',
  orderType: 'LIMIT',
  limitPrice: '10.00',
  entrustType: 'QTY',
  quantity: '1',
  timeInForce: 'DAY',
  supportTradingSession: 'CORE',
}

describe('brokerwire api --list', () => {
  test('lists each operation with its method, path, confidence and description', async () => {
    const { status, out } = await service.run(['api', '--list'])
    expect(status).toBe(0)
    expect(out).toHaveLength(Object.keys(OPERATIONS).length)
    expect(out).toContainEqual(
      expect.stringMatching(/^orders\.place +POST +\/trading\/orders\/place +documented +Places an order/),
    )
    expect(out).toContainEqual(expect.stringMatching(/^config\.get +GET +none with --path-family current/))
  })

  test('lists the paths of the chosen family, as JSON too', async () => {
    const { out } = await service.run(['api', '--list', '--path-family', 'openapi', '--json'])
    const { pathFamily, operations } = JSON.parse(out.join())
    expect(pathFamily).toBe('openapi')
    expect(operations).toContainEqual(
      expect.objectContaining({ name: 'orders.place', path: '/openapi/trade/order/place', effect: 'orders' }),
    )
  })

  test.each([
    [['api'], 'CLI_OPTION_INVALID: <operation> is missing. `brokerwire api --list` lists the operations'],
    [['api', 'orders.plaec', '--symbol', 'AAPL'], 'Did you mean "orders.place"?'],
    [['api', 'orders.place', '--list'], '--list must be given without an operation'],
  ])('%j is wrong usage', async (args, message) => {
    const { status, err } = await service.run(args)
    expect(status).toBe(2)
    expect(err[0]).toContain(message)
  })
})

test('brokerwire simulate serves its metrics', async () => {
  const response = await fetch(`${service.env.BROKERWIRE_BASE_URL}/metrics`)
  const text = await response.text()
  expect(text).toMatch(/^brokerwire_simulator_requests_total \d+$/m)
  expect(text).toMatch(/^brokerwire_simulator_access_tokens\{app="app-1",status="NORMAL"\} \d+$/m)
  expect(text).not.toContain(service.env.BROKERWIRE_APP_KEY)
})

test('brokerwire simulate serves the OpenAPI document of the table', async () => {
  const response = await fetch(`${service.env.BROKERWIRE_BASE_URL}/openapi.json`)
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
})

describe('the help of an operation', () => {
  test('lists its fields as flags with type, values and source', async () => {
    const { status, out } = await service.run(['api', 'orders.place', '--help'])
    const help = out.join(' ').replace(/\s+/g, ' ')
    expect(status).toBe(0)
    expect(help).toContain('--account, --account-id <string> identifier of the account')
    expect(help).toContain('short sale of stocks; required; values: BUY, SELL, SHORT')
    expect(help).toContain('--limit-price <decimal>')
    expect(help).toContain('currency of the trade (JP); source: official-client')
    expect(help).toContain(
      'POST /trading/orders/place (--path-family current), or /openapi/trade/order/place',
    )
    expect(help).toContain('Confidence: documented')
    expect(help).toContain('--dry-run')
  })

  test.each(Object.values(OPERATIONS).map((row) => [row.name, row] as const))(
    'the example of %s is a valid command line',
    async (_, row) => {
      const { token, refreshToken } = row.fields
      const secrets = { token: token && TOKEN, refreshToken: refreshToken && TOKEN }
      const file = await temporaryFile('input.json', JSON.stringify(secrets))
      const [, ...args] = exampleLine(row).replace('input.json', file).split(' ')
      const { status, err } = await service.run([...args, '--dry-run'])
      expect({ status, err }).toEqual({ status: 0, err: [] })
    },
  )
})

describe('a request', () => {
  test('--dry-run prints the signed request without secret and token, and sends nothing', async () => {
    const requests = async () => ((await service.control.state()) as { readonly requests: number }).requests
    const before = await requests()
    const { status, out, err } = await service.run(['api', 'orders.place', ...orderFlags('dry'), '--dry-run'])
    expect({ status, err }).toEqual({ status: 0, err: [] })
    expect(out[0]).toBe(`POST ${service.env.BROKERWIRE_BASE_URL}/trading/orders/place`)
    for (const line of ['x-version: v3', 'x-access-token: [secret]', 'category: US_EQUITY'])
      expect(out).toContain(line)
    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({
      account_id: ACCOUNT,
      new_orders: [{ client_order_id: 'dry', symbol: 'AAPL', limit_price: '10.00', quantity: '1' }],
    })
    expect(out.join('\n')).not.toContain(SECRET)
    expect(await requests()).toBe(before)
  })

  test('an order is previewed, placed, read, replaced and cancelled', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    const api = (...args: string[]) => service.run(['api', ...args], { env })
    const preview = await api('orders.preview', ...orderFlags('flow'))
    expect(preview).toMatchObject({ status: 0, err: [] })
    expect(preview.out).toContain('estimatedCost: 10.00')
    expect(await api('orders.place', ...orderFlags('flow'))).toMatchObject({ status: 0, err: [] })
    const one = ['--account', ACCOUNT, '--client-order-id', 'flow']
    expect(await api('orders.replace', ...one, '--quantity', '3')).toMatchObject({ status: 0, err: [] })
    const read = JSON.parse((await api('orders.get', ...one, '--json')).out.join())
    expect(read.orders).toMatchObject([{ status: 'SUBMITTED', totalQuantity: '3', limitPrice: '10.00' }])
    expect(await api('orders.cancel', ...one)).toMatchObject({ status: 0, err: [] })
    expect((await api('orders.get', ...one)).out).toContain('    status: CANCELLED')
  })

  test('reads the input from a file and from standard input, and flags override it', async () => {
    const text = JSON.stringify({ accountId: ACCOUNT, newOrders: [order] })
    const file = await temporaryFile('order.json', text)
    for (const [given, input] of [
      [file, undefined],
      ['-', text],
    ] as const) {
      const args = ['api', 'orders.place', '--input', given, '--quantity', '7', '--dry-run']
      const { out } = await service.run(args, input === undefined ? {} : { input })
      expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({
        new_orders: [{ client_order_id: 'from-a-file', quantity: '7' }],
      })
    }
  })

  test('sends objects with --field, and unknown fields with --extra', async () => {
    const { out, err } = await service.run([
      'api',
      'orders.place',
      ...orderFlags('more'),
      '--field',
      'noPartyIds=[{"partyId":"P1","partyIdSource":"D"}]',
      '--extra',
      'new_flag:=true',
      '--extra',
      'newOrders.new_price=1.50',
      '--dry-run',
    ])
    expect(err).toEqual([])
    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({
      new_flag: true,
      new_orders: [{ no_party_ids: [{ party_id: 'P1', party_id_source: 'D' }], new_price: '1.50' }],
    })
  })

  test('chooses the paths of a family', async () => {
    const args = ['api', 'config.get', '--path-family', 'openapi']
    expect(await service.run(args)).toEqual({ status: 0, out: ['tokenCheckEnabled: true'], err: [] })
    const missing = await service.run(['api', 'config.get'])
    expect(missing.status).toBe(2)
    expect(missing.err[0]).toBe(
      'OPERATION_UNAVAILABLE: config.get has no path in the path family "current"; use --path-family "openapi"',
    )
  })

  test('--raw prints the body as it was received', async () => {
    const { out } = await service.run(['api', 'accounts.list', '--raw'])
    expect(JSON.parse(out.join())).toContainEqual(expect.objectContaining({ account_id: ACCOUNT }))
  })

  test('--all requests every page, up to --max-items', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    const api = (...args: string[]) => service.run(['api', ...args], { env })
    for (let index = 0; index < 12; index += 1) await api('orders.place', ...orderFlags(`page-${index}`))
    const history = [
      'orders.history',
      '--account',
      ACCOUNT,
      '--path-family',
      'openapi',
      '--page-size',
      '10',
      '--json',
    ]
    const first = await api(...history)
    expect(JSON.parse(first.out.join()).items).toHaveLength(10)
    expect(first.err).toEqual([])
    const asText = await api(...history.filter((word) => word !== '--json'))
    expect(asText.err).toEqual([expect.stringMatching(/^there are more pages: use --all/)])
    const all = await api(...history, '--all')
    expect(all.err).toEqual([])
    expect(all.out.length).toBeGreaterThanOrEqual(12)
    expect(JSON.parse(all.out[0] ?? '')).toHaveProperty('orders')
    const some = await api(...history, '--all', '--max-items', '11')
    expect({ items: some.out.length, err: some.err }).toEqual({
      items: 11,
      err: ['stopped after 11 items; --max-items sets another bound'],
    })
  })

  test('tokens in a response are printed with --reveal only', async () => {
    const create = ['api', 'client-tokens.create', '--client-user-id', 'customer-17']
    expect((await service.run(create)).out).toEqual(
      expect.arrayContaining(['accessToken: [secret]', 'refreshToken: [secret]']),
    )
    expect((await service.run([...create, '--reveal'])).out[0]).toMatch(/^accessToken: (?!\[secret\])/)
    expect((await service.run([...create, '--raw'])).err[0]).toContain(
      '--raw must be given together with --reveal',
    )
  })
})

describe('wrong input', () => {
  test('all missing fields are listed with their flags', async () => {
    const { status, err } = await service.run(['api', 'orders.cancel'])
    expect({ status, err }).toEqual({
      status: 2,
      err: [
        'CLI_VALUE_MISSING: missing: account id and client order id. Set each with a flag',
        '  account id       --account-id',
        '  client order id  --client-order-id',
      ],
    })
  })

  test.each([
    ['an unknown flag', ['--symbl', 'AAPL'], 'unknown option "--symbl". Did you mean "--symbol"?'],
    ['an unknown field', ['--field', 'limitPrise=1'], 'Did you mean "limitPrice"?'],
    ['a number in place of a decimal', ['--quantity', 'two'], '--quantity must be a decimal as a string'],
    ['text in place of JSON', ['--field', 'legs=x'], 'legs of --field must be JSON'],
    [
      'a field of the other path family',
      ['--trailing-limit-price', '1'],
      '--trailing-limit-price exists only in the path family "openapi"',
    ],
  ])('%s is named', async (_, more, message) => {
    const { status, err } = await service.run(['api', 'orders.place', ...orderFlags('wrong'), ...more])
    expect(status).toBe(2)
    expect(err[0]).toContain(message)
  })

  test('a price that the order type needs is named with its flag', async () => {
    const { status, err } = await service.run([
      'api',
      'orders.place',
      ...without(orderFlags('wrong'), '--limit-price'),
    ])
    expect({ status, err }).toEqual({
      status: 2,
      err: [
        'CLI_OPTION_INVALID: --limit-price must be set for --order-type "LIMIT" with --entrust-type "QTY"',
      ],
    })
  })

  test('a value that the table does not list is sent with a warning', async () => {
    const args = [
      'api',
      'orders.place',
      ...without(orderFlags('odd'), '--side'),
      '--side',
      'BUYY',
      '--dry-run',
    ]
    const { status, err, out } = await service.run(args)
    expect(status).toBe(0)
    expect(err).toEqual([
      'warning: the values of --side in the table are BUY, SELL, SHORT; "BUYY" is sent. Did you mean "BUY"?',
    ])
    expect(out.at(-1)).toContain('"side":"BUYY"')
  })

  test('a secret is read from --input only', async () => {
    const { status, err } = await service.run(['api', 'access-tokens.check', '--field', 'token=abc'])
    expect({ status, err }).toEqual({
      status: 2,
      err: ['CLI_OPTION_INVALID: --field must not be token, which is a secret. Pass it with --input'],
    })
    const file = await temporaryFile('token.json', JSON.stringify({ token: TOKEN }))
    const { out } = await service.run(['api', 'access-tokens.check', '--input', file, '--dry-run'])
    expect(out.at(-1)).toBe('{"token":"[secret]"}')
  })
})

describe('production', () => {
  const account = production.env.BROKERWIRE_ACCOUNTS?.split(',')[0] ?? ''

  test('an order is sent only after a yes to a question that shows it', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    const place = ['api', 'orders.place', ...orderFlags('asked', account), '--create']
    const read = ['api', 'orders.get', '--account', account, '--client-order-id', 'asked']
    const questions: string[] = []
    const answer = (isSure: boolean) => (question: string) => {
      questions.push(question)
      return isSure
    }
    const declined = await production.run(place, { env, confirm: answer(false) })
    expect({ status: declined.status, last: declined.err.at(-1) }).toEqual({
      status: 1,
      last: 'the request was not sent',
    })
    expect((await production.run(read, { env })).err[0]).toContain('ORDER_NOT_FOUND')
    expect((await production.run(place, { env, confirm: answer(true) })).status).toBe(0)
    expect((await production.run(read, { env })).status).toBe(0)
    expect(questions).toHaveLength(2)
    expect(questions[0]).toBe(
      `Send orders.place to production (us)? BUY 1 AAPL LIMIT 10.00 DAY clientOrderId=asked comboType=NORMAL instrumentType=EQUITY market=US entrustType=QTY supportTradingSession=CORE; accountId=${account}`,
    )
  }, 30_000)

  test('without a terminal an order needs --yes, and a read does not', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    const place = ['api', 'orders.place', ...orderFlags('script', account), '--create']
    // The command fails before a token is created.
    expect(await production.run(place, { env })).toEqual({
      status: 2,
      out: [],
      err: [
        'CLI_OPTION_INVALID: --yes must be given: orders.place changes orders in production, and there is no terminal to ask on',
      ],
    })
    await production.run(['token', 'create', '--wait', '--poll-interval', '50ms'], { env })
    expect(
      (await production.run(['api', 'orders.preview', ...orderFlags('script', account)], { env })).status,
    ).toBe(0)
    expect((await production.run([...place, '--yes'], { env })).status).toBe(0)
  }, 30_000)
})

describe('errors of the service', () => {
  test('have their code and the request id', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    const place = ['api', 'orders.place', ...orderFlags('twice')]
    expect((await service.run(place, { env })).status).toBe(0)
    const { status, err } = await service.run(place, { env })
    expect(status).toBe(1)
    expect(err).toEqual([
      expect.stringMatching(/^HTTP_BUSINESS_ERROR: .*TRADE_PLACE_ORDER_REPEAT.* \(request id [\w-]+\)$/),
    ])
  })

  test('a lost response, a 503 and a stopped command state that an order may have been placed', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    await service.run(['api', 'accounts.list'], { env })
    await service.control.fault({ http: { kind: 'close', processed: true }, path: '/trading/orders/place' })
    const { status, err } = await service.run(['api', 'orders.place', ...orderFlags('lost')], { env })
    expect(status).toBe(75)
    expect(err[0]).toBe(
      'POST /trading/orders/place was sent, and its outcome is unknown: an order may have been placed, replaced or cancelled. Read it with `brokerwire api orders.get` before you send another request',
    )
    expect(err[1]).toMatch(/^HTTP_NO_RESPONSE: /)
    await service.control.fault({ http: { kind: 'respond', status: 503 }, path: '/trading/orders/place' })
    const unavailable = await service.run(['api', 'orders.place', ...orderFlags('unavailable')], { env })
    expect(unavailable.err).toEqual([err[0], expect.stringMatching(/^HTTP_SERVER_ERROR: /)])
    const body = '{"error_code":"SYSTEM_ERROR"}'
    await service.control.fault({
      http: { kind: 'respond', status: 417, body },
      path: '/trading/orders/place',
    })
    const failed = await service.run(['api', 'orders.place', ...orderFlags('failed')], { env })
    expect(failed.err).toEqual([err[0], expect.stringMatching(/^HTTP_BUSINESS_ERROR: /)])
    await service.control.fault({ http: { kind: 'drip', intervalMs: 60_000 }, path: '/trading/orders/place' })
    const stop = new AbortController()
    const count = async () => ((await service.control.state()) as { readonly requests: number }).requests
    const before = await count()
    const stopped = service.run(['api', 'orders.place', ...orderFlags('stopped')], {
      env,
      signal: stop.signal,
    })
    await expect.poll(count).toBeGreaterThan(before)
    stop.abort('SIGINT')
    expect(await stopped).toEqual({ status: 130, out: [], err: [err[0]] })
    const read = ['api', 'orders.get', '--account', ACCOUNT, '--client-order-id', 'lost']
    expect((await service.run(read, { env })).status).toBe(0)
  })

  test('a rejected order and an unreachable service state nothing of the kind', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    await service.run(['api', 'accounts.list'], { env })
    await service.control.fault({ http: { kind: 'respond', status: 403 }, path: '/trading/orders/place' })
    const rejected = await service.run(['api', 'orders.place', ...orderFlags('rejected')], { env })
    expect(rejected.err).toEqual([expect.stringMatching(/^HTTP_FORBIDDEN: /)])
  })

  test('a response that cannot be decoded is printed', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    await service.run(['api', 'accounts.list'], { env })
    await service.control.fault({
      http: { kind: 'respond', status: 200, body: '[{"account":7}]' },
      path: '/trading/accounts/list',
    })
    const { status, out, err } = await service.run(['api', 'accounts.list'], { env })
    expect({ status, out }).toEqual({ status: 1, out: ['[{"account":7}]'] })
    expect(err).toEqual([expect.stringMatching(/^OPERATION_RESPONSE_INVALID: accounts\.list/)])
  })
})

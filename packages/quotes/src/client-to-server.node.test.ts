/**
 * The client-to-server product. No client of its stream is published. So the caller provides host and login, and the
 * calls have only the documented fields.
 */
import { Secret } from '@brokerwire/core'
import { HttpError, type HttpRequest } from '@brokerwire/http'
import { afterEach, expect, test } from 'vitest'
import { createQuotes } from './create-quotes.ts'
import type { QuotesOptions } from './quotes-options.ts'
import { type QuotesBench, readBench } from './test/quotes-bench.ts'

const TOKEN = 'client-token-of-the-test'
const open: QuotesBench[] = []
afterEach(async () => {
  for (const { quotes } of open.splice(0)) await quotes.close()
})

function bench(more: Partial<QuotesOptions>, answer: () => unknown = () => ({})) {
  const requests: HttpRequest[] = []
  const request = async (given: HttpRequest): Promise<never> => {
    requests.push(given)
    return answer() as never
  }
  const made = readBench({
    http: { request },
    product: {
      kind: 'client',
      login: () => ({ userName: 'a-user', password: 'a-login' }),
      clientToken: async () => new Secret(TOKEN),
    },
    ...more,
  })
  open.push(made)
  made.quotes.set({ symbols: ['AAPL', 'TSLA'], types: ['snapshot', 'tick'], category: 'US_STOCK' })
  return { ...made, requests }
}

test('connects with the result of login, and sends the client token with the documented body', async () => {
  const made = bench({})
  await made.clock.advance(1000)
  const [session] = made.service.sessions
  expect(session?.connect).toMatchObject({ username: 'a-user', password: Buffer.from('a-login') })
  expect(made.requests).toMatchObject([
    {
      method: 'POST',
      path: '/market-data/streaming/subscribe',
      json: {
        session_id: session?.id,
        category_symbols: [{ category: 'US_STOCK', symbols: ['AAPL', 'TSLA'] }],
        sub_types: 'SNAPSHOT,TICK',
      },
      // The calls carry no access token of the app.
      authenticated: false,
      headers: { authorization: `Bearer ${TOKEN}` },
      retry: 'never',
    },
  ])
  made.quotes.remove({ symbols: ['TSLA'], category: 'US_STOCK' })
  await made.clock.advance(1000)
  expect(made.requests[1]).toMatchObject({
    path: '/market-data/streaming/unsubscribe',
    json: { category_symbols: [{ category: 'US_STOCK', symbols: ['TSLA'] }], sub_types: 'SNAPSHOT,TICK' },
  })
})

test.each([
  ['login', { kind: 'client', clientToken: () => TOKEN }],
  ['clientToken', { kind: 'client', login: () => ({ userName: 'u', password: '' }) }],
])('%s has no default', (option, product) => {
  const options = { http: { request: async () => ({}) as never }, mqttUrl: 'mqtts://host.example:1883' }
  expect(() => createQuotes({ ...options, product: product as never })).toThrow(
    expect.objectContaining({
      code: 'QUOTES_OPTION_INVALID',
      details: expect.objectContaining({ option: `product.${option}` }),
    }),
  )
})

test.each([undefined, '', 7])('ends without a request if the client token is %j', async (token) => {
  const login = () => ({ userName: 'u', password: '' })
  const made = bench({ product: { kind: 'client', login, clientToken: () => token as never } })
  await made.clock.advance(1000)
  expect(await made.ended).toMatchObject({
    code: 'QUOTES_CALL_FAILED',
    details: { code: 'CLIENT_TOKEN_EMPTY' },
  })
  expect(made.requests).toEqual([])
})

test('redacts the client token in a service message', async () => {
  const made = bench({}, () => {
    throw new HttpError('HTTP_BUSINESS_ERROR', 'rejected', {
      details: {
        method: 'POST',
        path: '/',
        sentOnce: true,
        status: 417,
        serviceCode: 'UNSUPPORTED_CATEGORY',
        serviceMessage: `not for ${TOKEN}`,
        requestId: undefined,
        retryAfterMs: undefined,
      },
    })
  })
  await made.clock.advance(1000)
  expect(made.notices('rejected')).toMatchObject([{ code: 'UNSUPPORTED_CATEGORY', symbols: [{}, {}] }])
  expect(JSON.stringify(made.items)).not.toContain(TOKEN)
})

/** No secret is in items, errors or MQTT packets, for any response and any failure. */
import { inspect } from 'node:util'
import { Secret } from '@brokerwire/core'
import { createHttpClient } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { expect, test } from 'vitest'
import { APP_KEY, readBench } from './test/quotes-bench.ts'

const APP_SECRET = 'app-secret-of-the-test'
const TOKEN = 'access-token-of-the-test'

/** All strings of an error and of its causes. */
function wholeOf(error: unknown): string {
  const own = inspect(error, { depth: 20, showHidden: true })
  return error instanceof Error ? own + error.stack + JSON.stringify(error) + wholeOf(error.cause) : own
}

test.each([
  [401, 'INVALID_TOKEN'],
  [417, 'INVALID_SYMBOL'],
  [417, 'UNSUPPORTED_CATEGORY'],
  [417, 'INVALID_SESSION'],
  [404, 'NOT_FOUND'],
  [500, 'INTERNAL'],
])('a service that quotes the token with %i %s', async (status, code) => {
  const seen: unknown[] = []
  const quoting = `${TOKEN} ${encodeURIComponent(TOKEN)} ${Buffer.from(TOKEN).toString('base64')} [S]`
  let asked = ''
  const http = createHttpClient({
    baseUrl: 'https://api.example',
    signer: createSigner({ appKey: APP_KEY, appSecret: new Secret(APP_SECRET) }),
    accessTokens: {
      get: async () => ({ token: new Secret(TOKEN) }),
      reportRejected: async () => ({ changed: false }),
    },
    fetch: async (_url, init) => {
      asked += JSON.stringify(Object.fromEntries(new Headers(init?.headers as never)))
      return Response.json({ error_code: code, message: quoting, error_msg: quoting }, { status }) as never
    },
  })
  const made = readBench({
    http,
    observer: { onQuotesState: (report) => seen.push(report), onQuotesNotice: (report) => seen.push(report) },
  })
  made.quotes.set({ symbols: ['S', 'T'], types: ['snapshot'], category: 'US_STOCK' })
  for (let round = 0; round < 20; round += 1) {
    await made.clock.advance(5000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  made.service.sessions[0]?.push('notice', new TextEncoder().encode('{"type":"status"}'))
  const { quotes } = made
  seen.push(
    quotes.desired(),
    quotes.confirmed(),
    quotes.connections(),
    [...quotes.lastReceived()],
    made.items,
  )
  const shown = inspect(quotes, { depth: 20, showHidden: true })
  await quotes.close()
  const everything = JSON.stringify(seen) + shown + wholeOf(await made.ended)
  const onMqtt = Buffer.concat(made.service.sent.map((bytes) => Buffer.from(bytes))).toString('latin1')
  // The scan would find secrets: the token was sent with the call, and the app key over MQTT.
  expect(asked).toContain(TOKEN)
  expect(onMqtt).toContain(APP_KEY)
  expect(seen.length).toBeGreaterThan(5)
  for (const secret of [APP_SECRET, TOKEN, Buffer.from(TOKEN).toString('base64')]) {
    expect(everything).not.toContain(secret)
    expect(onMqtt).not.toContain(secret)
  }
})

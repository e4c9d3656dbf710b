/**
 * A backend endpoint that gives a customer's app the access token and its expiry. The refresh token never leaves the store,
 * because it can log the customer out everywhere.
 *
 *     POST /client-token   Authorization: Bearer SESSION   ->   {"accessToken":"...","expiresAtMs":...}
 */
import { createServer, type IncomingMessage } from 'node:http'
import { isBrokerwireError } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { clientTokens, createBrokerage, rateLimiter } from '@brokerwire/edge'
import { createFileStore } from '@brokerwire/stores/file'

const { env } = process

function open() {
  try {
    return createBrokerage({
      // These have no default. If one is missing, the error has its name.
      region: env.BROKERWIRE_REGION as Region,
      environment: env.BROKERWIRE_ENVIRONMENT as Environment,
      appKey: env.BROKERWIRE_APP_KEY ?? '',
      appSecret: env.BROKERWIRE_APP_SECRET ?? '',
      overrides: { baseUrl: env.BROKERWIRE_BASE_URL },
      store: createFileStore({ directory: env.BROKERWIRE_STORE ?? '.brokerwire' }),
      // With the rate limiter, simultaneous token calls of many customers wait instead of being rejected by
      // the service.
      plugins: [clientTokens(), rateLimiter()],
    })
  } catch (error) {
    if (!isBrokerwireError(error)) throw error
    // A setting is invalid or missing. The message has its name, never its value.
    console.error(`${error.code}: ${error.message}`)
    process.exit(1)
  }
}

const brokerage = open()

/** Replace this with your sign-in. Take the client user id from the session, never from the request. */
const sessions = new Map<string, string>()
const { DEMO_SESSION } = env
// DEMO_SESSION has no default, because with a known or empty session everyone could sign in.
if (DEMO_SESSION) sessions.set(DEMO_SESSION, 'customer-1')
else console.log('DEMO_SESSION is not set: all requests are rejected')

function signedInCustomer({ headers }: IncomingMessage): string | undefined {
  const session = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
  return session === undefined ? undefined : sessions.get(session)
}

const server = createServer(async (request, response) => {
  const answer = (status: number, body: object): void => {
    response
      .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(body))
  }
  if (request.method !== 'POST' || request.url !== '/client-token') return answer(404, { code: 'NOT_FOUND' })
  const customer = signedInCustomer(request)
  if (customer === undefined) return answer(401, { code: 'SIGN_IN' })
  try {
    const token = await brokerage.clientTokens.get(customer)
    if (token.replacedAllSessions) console.log(`${customer} was logged out on all other devices`)
    answer(200, { accessToken: token.accessToken.reveal(), expiresAtMs: token.expiresAtMs })
  } catch (error) {
    if (isBrokerwireError(error)) answer(error.retryable ? 503 : 500, { code: error.code })
    else answer(500, { code: 'UNKNOWN' })
  }
})

server.listen(Number(env.PORT ?? 8080), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(`listening on http://127.0.0.1:${address?.port}`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close()
    server.closeAllConnections()
    // Waits for a refresh in progress, because the customer is logged out if the result of the refresh is
    // lost. `close()` never rejects.
    await brokerage.close()
  })
}

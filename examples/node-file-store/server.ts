/**
 * A server that keeps its access token in files, which only this user can read. The token survives restarts, and all processes of
 * this machine share it. The server accepts requests immediately. While a person must enter the code, it reports that.
 *
 *     GET /health   200 {"status":"ready"}, or 503 {"code":"TOKEN_PENDING","deadline":...}
 *     GET /config   the service's response to a signed request with the token
 */
import { createServer, type ServerResponse } from 'node:http'
import { isBrokerwireError } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { createBrokerage, rateLimiter } from '@brokerwire/edge'
import { createFileStore } from '@brokerwire/stores/file'
import { isTokensError } from '@brokerwire/tokens'

const { env } = process
const { POLL_INTERVAL_MS, PORT = '8080', BROKERWIRE_STORE = '.brokerwire' } = env

function open() {
  try {
    return createBrokerage({
      // These have no default. If one is missing, the error has its name.
      region: env.BROKERWIRE_REGION as Region,
      environment: env.BROKERWIRE_ENVIRONMENT as Environment,
      appKey: env.BROKERWIRE_APP_KEY ?? '',
      appSecret: env.BROKERWIRE_APP_SECRET ?? '',
      overrides: { baseUrl: env.BROKERWIRE_BASE_URL },
      store: createFileStore({ directory: BROKERWIRE_STORE }),
      // All processes together stay within the service's rate limit of token calls.
      plugins: [rateLimiter()],
      tokens: {
        // Interval between checks for the second factor. Default: 5 s.
        pollIntervalMs: POLL_INTERVAL_MS === undefined ? undefined : Number(POLL_INTERVAL_MS),
        // A person is needed at these two moments: send a mail or an alert.
        onSecondFactor: ({ remainingMs }) =>
          console.log(`enter the code in the app within ${Math.round(remainingMs / 60_000)} minutes`),
        onExpiring: ({ remainingMs }) =>
          console.log(`the token expires in ${Math.round(remainingMs / 3_600_000)} hours: renew it`),
      },
    })
  } catch (error) {
    if (!isBrokerwireError(error)) throw error
    // A setting is invalid or missing. The message has its name, never its value.
    console.error(`${error.code}: ${error.message}`)
    process.exit(1)
  }
}

const brokerage = open()

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function answerError(response: ServerResponse, error: unknown): void {
  if (isTokensError(error, 'TOKEN_PENDING')) {
    const deadline = new Date(error.details.deadlineMs).toISOString()
    answer(response, 503, { code: error.code, deadline })
  } else if (isBrokerwireError(error)) answer(response, error.retryable ? 503 : 500, { code: error.code })
  else answer(response, 500, { code: 'UNKNOWN' })
}

const server = createServer(async (request, response) => {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const { url } = request
  if (url !== '/health' && url !== '/config') return answer(response, 404, { code: 'NOT_FOUND' })
  try {
    // The request does not wait for the second factor.
    await brokerage.accessTokens.get({ wait: false, signal: gone.signal })
    if (url === '/health') return answer(response, 200, { status: 'ready' })
    const config = await brokerage.http.request({
      method: 'GET',
      path: '/openapi/config',
      signal: gone.signal,
    })
    answer(response, 200, config.json())
  } catch (error) {
    answerError(response, error)
  }
})

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(`listening on http://127.0.0.1:${address?.port}`)
})

// Waits for the second factor in the background. In production this creates a token only the first time.
brokerage.accessTokens.get().then(
  (token) => console.log('ready', token?.expiresAtMs === undefined ? '' : new Date(token.expiresAtMs)),
  (error: unknown) => console.log(isBrokerwireError(error) ? `no token: ${error.code}` : 'no token'),
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close()
    server.closeAllConnections()
    // Stops polling. If a create request was sent, `close()` waits for its token, so that it is not lost. It never rejects.
    await brokerage.close()
  })
}

/**
 * Hosts that share an app key and a store. A hostile host sends any response to clients that are configured
 * with its address.
 */
import type { Store } from '@brokerwire/core'
import { ENDPOINTS, type Endpoint, resolveEndpoint } from '@brokerwire/core/endpoints'
import {
  clientTokens,
  createBrokerage,
  type EdgeBrokerageWithClientTokens,
  rateLimiter,
} from '@brokerwire/edge'
import { createMemoryStore } from '@brokerwire/stores'
import { readBody, startHttpServer } from '@brokerwire/testing/http-server'
import type { Random } from '../random.ts'
import type { AttackContext, Kind } from './attacks.ts'

const ADDRESSES = ['baseUrl', 'eventsUrl', 'moduleEventsUrl', 'mqttUrl', 'mqttWebSocketUrl'] as const
const CODES = ['INVALID_TOKEN', 'UNAUTHORIZED', 'ILLEGAL_TIMESTAMP', 'MISSING_SIGNATURE', 'ANOTHER_CODE']
const CUSTOMERS = ['anna', 'bert']
const HOUR_MS = 3_600_000

/** Creates a response of a service whose tokens begin with `name`. */
function issue(name: string, path: string, random: Random): object {
  const expiresAt = Date.now() + 300 * HOUR_MS
  return path.includes('client-tokens')
    ? {
        access_token: `${name}-${random.hex(24)}`,
        refresh_token: `${name}-${random.hex(24)}`,
        expires_at: expiresAt,
        refresh_expires_at: expiresAt,
      }
    : { token: `${name}-${random.hex(24)}`, expires_at: expiresAt, status: 'NORMAL' }
}

/**
 * Starts a service.
 *
 * @param answer - Returns the status and the body of the response for a path.
 */
async function startService(
  context: AttackContext,
  answer: (path: string) => { readonly status: number; readonly body: object },
): Promise<{ readonly url: string; readonly received: string[] }> {
  const received: string[] = []
  const server = await startHttpServer(async (request, response) => {
    received.push(`${request.rawHeaders.join('\n')}\n${await readBody(request)}`)
    const { status, body } = answer(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  context.atEnd(() => server.close())
  return { url: server.url, received }
}

/** Calls a random function of a client that sends or ends tokens. */
async function useClient(client: EdgeBrokerageWithClientTokens, random: Random): Promise<void> {
  const customer = random.pick(CUSTOMERS)
  const use = random.pick([
    () => client.http.request({ method: 'GET', path: '/anything' }),
    () => client.http.request({ method: 'POST', path: '/orders', json: {} }),
    () => client.accessTokens.renew({ wait: false }),
    () => client.clientTokens.get(customer),
    () => client.clientTokens.get(customer, { renew: 'create' }),
    () => client.clientTokens.get(customer, { renew: 'refresh' }),
  ])
  await use().catch(() => {})
}

function checkEndpoint(context: AttackContext, endpoint: Endpoint, given: Partial<Endpoint>): void {
  const { region, environment } = endpoint
  const table = ENDPOINTS[region as 'us'][environment]
  const isReplaced = ADDRESSES.some((name) => given[name] !== undefined && table[name] !== undefined)
  for (const name of ADDRESSES) {
    const expected = given[name] ?? (isReplaced ? undefined : table[name])
    if (endpoint[name] !== expected) context.fail(`${name} of ${region} ${environment}: ${endpoint[name]}`)
  }
}

async function attackStore(context: AttackContext, random: Random, count: number): Promise<void> {
  const store: Store = createMemoryStore()
  const honest = await startService(context, (path) => ({ status: 200, body: issue('honest', path, random) }))
  const hostile = await startService(context, (path) =>
    random.chance(0.5)
      ? { status: 200, body: issue('hostile', path, random) }
      : { status: random.pick([400, 401, 403, 417, 429, 500]), body: { error_code: random.pick(CODES) } },
  )
  const open = (baseUrl: string): EdgeBrokerageWithClientTokens =>
    createBrokerage({
      region: 'us',
      environment: 'production',
      appKey: 'shared-app-key',
      appSecret: 'shared-app-secret',
      overrides: { baseUrl },
      store,
      plugins: [clientTokens(), rateLimiter({ limit: 10_000, clientLimit: 10_000 })],
      tokens: { secondFactor: false },
      http: { maxRetries: 0 },
    })
  const own = open(honest.url)
  const token = (await own.accessTokens.get())?.token.reveal()
  const pairs = await Promise.all(CUSTOMERS.map((customer) => own.clientTokens.get(customer)))
  for (let attack = 0; attack < count; attack += 1) {
    await using stranger = open(hostile.url)
    await useClient(stranger, random)
    context.attack('clients with a hostile host')
  }
  if ((await own.accessTokens.get())?.token.reveal() !== token) context.fail('a token was ended or replaced')
  for (const [at, customer] of CUSTOMERS.entries()) {
    const now = await own.clientTokens.get(customer)
    if (now.accessToken.reveal() !== pairs[at]?.accessToken.reveal())
      context.fail('a client token was replaced')
  }
  await own.close()
  if (hostile.received.length === 0) context.fail('the hostile host received nothing')
  if (hostile.received.some((text) => text.includes('honest-')))
    context.fail('a token was sent to another host')
}

export const hosts: Kind = {
  name: 'hosts',
  promise:
    'a token is sent only to the host that issued it, no other host can end it, and an override replaces every address of an endpoint',
  counts: [4000, 200],
  async run(context) {
    const { random, total } = context
    for (let attack = 0; attack < total; attack += 1) {
      const names = ADDRESSES.filter(() => random.chance(0.4))
      const given = Object.fromEntries(
        names.map((name) => [
          name,
          name.startsWith('mqtt') ? 'mqtts://other.example:1883' : 'https://other.example',
        ]),
      )
      const place = {
        region: random.pick(['us', 'hk'] as const),
        environment: random.pick(['production', 'sandbox'] as const),
      }
      checkEndpoint(context, resolveEndpoint({ ...place, overrides: given }), given)
      context.attack('overrides')
    }
    for (let run = 0; run < Math.ceil(total / 100); run += 1)
      await attackStore(context, random.fork(`store ${run}`), 25)
  },
}

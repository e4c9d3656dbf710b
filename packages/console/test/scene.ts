/**
 * A running service with its console, for tests and screenshots. It has tokens in each status, streams,
 * events and a rejected request.
 */
import { createSigner, fromUrl } from '@brokerwire/signer'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import type { Page } from 'playwright-core'

/** The views, by their names in the address. */
export const VIEWS = [
  'overview',
  'tokens',
  'streams',
  'market-data',
  'orders',
  'events',
  'requests',
  'faults',
  'time',
  'workbench',
] as const

/** A service and its console. */
export interface Scene {
  readonly simulator: Simulator
  readonly origin: string
  /** Address with the token of the console. */
  readonly address: string
  /** Changes a view so that it shows as much as possible. */
  prepare(page: Page, view: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The address that opens the console of a simulator. */
export function addressOf({ consoleUrl, consoleToken }: Simulator): string {
  return `${consoleUrl}/#token=${consoleToken.reveal()}`
}

/**
 * Sends a signed request to a simulator.
 *
 * @param spoil - Changes the request after it was signed.
 */
export async function send(
  simulator: Simulator,
  path: string,
  body: string | undefined,
  spoil: (url: string) => string = (url) => url,
): Promise<Response> {
  const { appKey, appSecret } = simulator.credentials
  const signer = createSigner({ appKey, appSecret, now: () => simulator.clock.now() })
  const { url, headers } = await signer.sign({ ...fromUrl(simulator.baseUrl + path), body })
  return fetch(spoil(url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })
}

/** Starts a service with everything that the views can show. */
export async function startScene(options: SimulatorOptions = {}): Promise<Scene> {
  const simulator = await startSimulator({ console: true, secondFactor: 'manual', seed: 7, ...options })
  const create = () => send(simulator, '/openapi/auth/token/create', '{}')
  await create()
  simulator.endAccessTokens({ status: 'EXPIRED' })
  await create()
  simulator.approveSecondFactor()
  await create()
  await send(simulator, '/openapi/config', undefined)
  await send(simulator, '/openapi/config?page=2', undefined, (url) => url.replace('page=2', 'page=3'))
  await send(simulator, '/openapi/unknown', undefined)
  simulator.faults.nextHttp({ kind: 'respond', status: 503 }, { count: 3, path: '/openapi/orders' })
  simulator.faults.nextFrame('duplicate', { count: 1000 })
  const run = simulator.startScenario('lifecycles', { intervalMs: 1 })
  await run.done
  simulator.startScenario('lifecycles-forever', { intervalMs: 400 })
  return {
    simulator,
    origin: simulator.consoleUrl ?? '',
    address: addressOf(simulator),
    async prepare(page, view) {
      await page.locator('h1').first().waitFor()
      if (view === 'events') await page.locator('.row').nth(3).click()
      if (view === 'requests') {
        await page.locator('.row', { hasText: '401' }).first().click()
        await page.getByText('x-timestamp=').first().waitFor()
      }
      if (view === 'orders') await placeOrders(page)
      if (view === 'workbench') await page.getByText('Signature', { exact: true }).waitFor()
      // The browser draws the result of a click in the second frame after it.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    },
    async [Symbol.asyncDispose]() {
      await simulator.close()
    },
  }
}

/** Places an order that is filled, one that stays open and is in the form that replaces it, and one that is rejected. */
async function placeOrders(page: Page): Promise<void> {
  await placeOrder(page, 'MARKET', { Quantity: '40' })
  const open = await placeOrder(page, 'LIMIT', { 'Limit price': '100.00' })
  await page.getByRole('button', { name: `Replace order ${open}` }).click()
  await page.getByRole('form', { name: 'Replace an order' }).waitFor()
  await placeOrder(page, 'LIMIT', { Quantity: '100000' })
  await page.getByText('OPENAPI_ORDER_BUYING_POWER_NOT_ENOUGH').waitFor()
}

/** Places an order with the ticket. @returns Its client order id; an empty string if it was rejected. */
export async function placeOrder(
  page: Page,
  type: string,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  await ticket.getByLabel('Type').selectOption(type)
  for (const [label, value] of Object.entries(fields)) await ticket.getByLabel(label).fill(value)
  const responded = page.waitForResponse(/\/api\/order$/)
  await ticket.getByRole('button', { name: 'Place' }).click()
  const { json } = await (await responded).json()
  return json.client_order_id ?? ''
}

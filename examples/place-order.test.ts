/** The order is placed once: with a response, after a lost response, and if the program runs again. */
import { jsonResponse, type Simulator, startSimulator, stringField } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

interface PlacedOrder {
  readonly client_order_id: string
  readonly order_id: string
}

/** Starts a service that places only one order with the same id. */
async function service(): Promise<{
  readonly simulator: Simulator
  readonly placed: Map<string, PlacedOrder>
}> {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const placed = new Map<string, PlacedOrder>()
  simulator.route('POST', '/openapi/orders', ({ body }) => {
    const name = stringField(body, 'client_order_id')
    const accountId = stringField(body, 'account_id')
    const known = placed.get(name)
    if (known !== undefined) return jsonResponse(known)
    const { state } = simulator.placeOrder({ accountId, symbol: stringField(body, 'symbol') })
    const order = { client_order_id: name, order_id: state.orderId }
    placed.set(name, order)
    return jsonResponse(order, { status: 201 })
  })
  return { simulator, placed }
}

test('a retry after a lost response places no second order', async () => {
  const { simulator, placed } = await service()
  simulator.faults.nextHttp({ kind: 'close', processed: true }, { path: '/openapi/orders' })
  const settings = { ...settingsOf(simulator), BROKERWIRE_ACCOUNTS: simulator.accounts.join() }
  const example = runExample('place-order.ts', settings)
  expect(await example.ended).toBe(0)
  const [order] = placed.values()
  expect(example.lines).toEqual([`order ${order?.client_order_id}: 200 ${JSON.stringify(order)}`])
  const requests = simulator.requests({ bodies: true }).filter(({ path }) => path === '/openapi/orders')
  const names = requests.map(({ body }) => JSON.parse(Buffer.from(body ?? []).toString()).client_order_id)
  expect(names).toEqual([order?.client_order_id, order?.client_order_id])
  expect(simulator.tradeEvents()).toHaveLength(1)
})

test('a second run with the same id places no second order', async () => {
  const { simulator, placed } = await service()
  const run = async (name: string) => {
    const example = runExample('place-order.ts', settingsOf(simulator), undefined, [
      String(simulator.accounts[0]),
      name,
    ])
    expect(await example.ended).toBe(0)
    return example.lines.map((line) => line.split(' ').slice(0, 3).join(' '))
  }
  expect(await run('first')).toEqual(['order first: 201'])
  expect(await run('first')).toEqual(['order first: 200'])
  expect(await run('second')).toEqual(['order second: 201'])
  expect([...placed.keys()]).toEqual(['first', 'second'])
  expect(simulator.tradeEvents()).toHaveLength(2)
})

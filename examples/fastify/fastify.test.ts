/** The server receives an event of the local service, and ends when it is stopped. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { runExample } from '../test/run-example.ts'
import { settingsOf } from '../test/settings-of.ts'

test('Fastify returns the status of an event, and closes the stream on SIGTERM', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const BROKERWIRE_ACCOUNTS = simulator.accounts.join()
  const example = runExample('fastify/server.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS,
    PORT: '0',
  })
  const [, url] = await example.line(/Server listening at (http:\/\/127[^"]+)/)
  await example.line(/"notice":"subscribed"/)
  const order = simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
  order.fill(40)
  const read = async () => await (await fetch(`${url}/orders/${order.state.clientOrderId}`)).json()
  await expect.poll(read).toEqual({ status: 'PARTIAL_FILLED' })
  expect((await fetch(`${url}/orders/another`)).status).toBe(404)
  example.stop()
  expect(await example.ended).toBe(0)
  await expect.poll(() => simulator.subscriptions()).toEqual([])
})

test('Fastify ends with status 1 if the service rejects the stream', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const change = { BROKERWIRE_ACCOUNTS: 'one', BROKERWIRE_APP_SECRET: 'another', PORT: '0' }
  const example = runExample('fastify/server.ts', { ...settingsOf(simulator), ...change })
  expect(await example.ended).toBe(1)
  expect(example.lines.join()).toContain('STREAM_AUTH_REJECTED')
})

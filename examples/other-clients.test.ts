/** The programs of docs/guides/other-clients.md, each in its own process against the simulator. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

/** proto-loader reads a file of an installed package, so that program cannot run as a bundle. */
const SOURCE = ['--conditions=@brokerwire/source', '--import', 'tsx']

test.each([
  ['connect.ts', undefined],
  ['grpc-js-proto-loader.ts', SOURCE],
  ['grpc-js-protobufjs.ts', undefined],
])('other-clients/%s prints an order event, until it is stopped', async (name, flags) => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const env = { ...settingsOf(simulator), BROKERWIRE_ACCOUNTS: simulator.accounts.join() }
  const example = runExample(`other-clients/${name}`, env, flags)
  await example.line(/^SubscribeSuccess/)
  simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
  await example.line(/^order .*AAPL/)
  example.stop()
  expect(await example.ended).toBe(0)
})

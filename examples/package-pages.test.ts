/** The programs of the packages' pages run as they are shown, with the values of a local service. */
import { pathToFileURL } from 'node:url'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { pageProgram } from './test/run-page.ts'
import { settingsOf } from './test/settings-of.ts'

async function start(): Promise<Simulator> {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  return simulator
}

test('core: a secret is not printed, and an unknown address names the option to set', async () => {
  const program = await pageProgram('core')
  const lines = (await program.run()).trimEnd().split('\n')
  expect(lines).toEqual([
    'the secret prints as [secret]',
    expect.stringMatching(/^https:\/\/\S+ HMAC-SHA(1|256)$/),
    'set the option overrides.moduleEventsUrl',
  ])
})

test('signer: the Worker sends a request that the service accepts', async () => {
  const simulator = await start()
  const { file } = await pageProgram('signer')
  const { default: worker } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  const { appKey, appSecret } = simulator.credentials
  const env = { SERVICE_URL: simulator.baseUrl, APP_KEY: appKey, APP_SECRET: appSecret.reveal() }
  const response: Response = await worker.fetch(new Request('http://worker.example'), env)
  expect([response.status, await response.json()]).toEqual([200, { token_check_enabled: true }])
})

test('operations: the program lists accounts and places an order', async () => {
  const simulator = await start()
  const program = await pageProgram('operations')
  expect(await program.run(settingsOf(simulator))).toMatch(/^order \S+ of account \S+\n$/)
  expect(simulator.trading?.orders()).toHaveLength(1)
})

test('orders: the program places its order once, however often it runs', async () => {
  const simulator = await start()
  const program = await pageProgram('orders', { 'your account': String(simulator.accounts[0]) })
  for (let run = 0; run < 2; run += 1)
    expect(await program.run(settingsOf(simulator))).toMatch(/^order-1 accepted \S+\n$/)
  expect(simulator.trading?.orders()).toHaveLength(1)
})

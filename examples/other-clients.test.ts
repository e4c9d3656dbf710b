/** The programs of docs/guides/other-clients.md, each in its own process against the simulator. */
import { startSimulator } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

/** proto-loader reads a file of an installed package, so that program cannot run as a bundle. */
const SOURCE = ['--conditions=@brokerwire/source', '--import', 'tsx']

const PROGRAMS: [name: string, flags: readonly string[] | undefined][] = [
  ['connect.ts', undefined],
  ['grpc-js-proto-loader.ts', SOURCE],
  ['grpc-js-protobufjs.ts', undefined],
]

async function settings() {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const env = { ...settingsOf(simulator), BROKERWIRE_ACCOUNTS: simulator.accounts.join() }
  return { simulator, env }
}

test.each(PROGRAMS)('other-clients/%s prints an order event, until it is stopped', async (name, flags) => {
  const { simulator, env } = await settings()
  const example = runExample(`other-clients/${name}`, env, flags)
  await example.line(/^SubscribeSuccess/)
  simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
  await example.line(/^order .*AAPL/)
  example.stop()
  expect(await example.ended).toBe(0)
})

describe.each(PROGRAMS)('other-clients/%s ends with status 1', (name, flags) => {
  test('if the service rejects the signature', async () => {
    const { env } = await settings()
    const wrong = { ...env, BROKERWIRE_APP_SECRET: 'another' }
    const example = runExample(`other-clients/${name}`, wrong, flags)
    await example.line(/^AuthError/)
    expect(await example.ended).toBe(1)
  })

  test('if the access token has a line end, without printing it', async () => {
    const { env } = await settings()
    const wrong = { ...env, BROKERWIRE_ACCESS_TOKEN: 'the-token\n' }
    const example = runExample(`other-clients/${name}`, wrong, flags)
    await example.line(/accessToken must be without white space at its ends/)
    expect(await example.ended).toBe(1)
    expect(example.lines.join()).not.toContain('the-token')
  })
})

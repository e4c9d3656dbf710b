/** The program of the page about the connection uses the token of its store. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { freshDirectory, runExample } from '../test/run-example.ts'
import { settingsOf } from '../test/settings-of.ts'

test('connect creates one token, and a second run uses it', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const env = { ...settingsOf(simulator), BROKERWIRE_STORE: await freshDirectory() }
  for (const _ of ['first', 'second']) {
    const example = runExample('start/connect.ts', env)
    expect(await example.ended).toBe(0)
    expect(example.lines).toEqual([
      expect.stringMatching(/^token usable until \d{4}-/),
      '200 {"token_check_enabled":true}',
    ])
  }
  const creates = simulator.requests().filter(({ path }) => path === '/auth/tokens/create')
  expect(creates).toHaveLength(1)
})

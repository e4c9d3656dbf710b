/** Runs the programs on the pages of tokens, stores, http and edge. */
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { freshDirectory, runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

async function start(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options)
  onTestFinished(() => simulator.close())
  return simulator
}

test('access-token creates one token for two runs', async () => {
  const simulator = await start({ environment: 'sandbox' })
  const env = { ...settingsOf(simulator), BROKERWIRE_STORE: await freshDirectory() }
  for (const _ of [1, 2]) {
    const example = runExample('access-token.ts', env)
    expect([await example.ended, example.lines]).toEqual([0, ['status 200']])
  }
  expect(simulator.requests().map(({ path }) => path)).toEqual([
    '/auth/tokens/create',
    '/openapi/config',
    '/openapi/config',
  ])
})

test('file-store counts the starts of processes that run at the same time', async () => {
  const env = { BROKERWIRE_STORE: await freshDirectory() }
  const examples = [1, 2, 3].map(() => runExample('file-store.ts', env))
  expect(await Promise.all(examples.map(({ ended }) => ended))).toEqual([0, 0, 0])
  expect(examples.flatMap(({ lines }) => lines).sort()).toEqual(['start 1', 'start 2', 'start 3'])
})

test('http-request prints the response, or the code of the failure', async () => {
  const simulator = await start({})
  const example = runExample('http-request.ts', settingsOf(simulator))
  expect([await example.ended, example.lines]).toEqual([0, ['200 { token_check_enabled: true }']])
  const wrong = runExample('http-request.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_APP_SECRET: 'wrong-secret',
  })
  expect(await wrong.ended).toBe(1)
  expect(wrong.lines.join()).toMatch(/^HTTP_UNAUTHORIZED: /)
  expect(wrong.lines.join()).not.toContain('wrong-secret')
})

test('edge-request creates a token, and gets its response', async () => {
  const simulator = await start({ environment: 'sandbox' })
  const env = { ...settingsOf(simulator), BROKERWIRE_STORE: await freshDirectory() }
  const example = runExample('edge-request.ts', env)
  expect([await example.ended, example.lines]).toEqual([0, ['status 200']])
})

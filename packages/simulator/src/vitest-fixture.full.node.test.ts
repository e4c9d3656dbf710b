/** A test that leaves a stream open. It runs in a nested Vitest, because it fails. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startVitest } from 'vitest/node'

const HERE = fileURLToPath(new URL('.', import.meta.url))

// A nested Vitest is slow on a busy machine.
it('a test that leaves a stream open fails with the name of the stream', { timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(HERE, 'test', '.forgotten-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const at = (path: string) => JSON.stringify(join(HERE, path))
  await writeFile(
    join(folder, 'forgotten.test.ts'),
    `import { test } from ${at('vitest/index.ts')}
import { openTradeStream } from '@brokerwire/testing/signed-client'
test('forgets', async ({ simulator }) => {
  await openTradeStream(simulator, { accounts: [simulator.accounts[0]] })
  await simulator.waitForSubscriptions()
})
test('closes', async ({ simulator }) => {
  const stream = await openTradeStream(simulator)
  await simulator.waitForSubscriptions()
  stream.abort.abort()
  await stream.messages.next().catch(() => undefined)
})
`,
  )
  const conditions = ['@brokerwire/source', 'node', 'module', 'import', 'default']
  const vitest = await startVitest(
    'test',
    [],
    {
      root: folder,
      config: false,
      watch: false,
      reporters: [{}],
      dangerouslyIgnoreUnhandledErrors: true,
      testTimeout: 60_000,
    },
    { ssr: { resolve: { conditions } }, resolve: { conditions } },
  )
  onTestFinished(() => vitest.close())
  const tests = [...(vitest.state.getTestModules()[0]?.children.allTests() ?? [])]
  expect(tests.map((test) => [test.name, test.result().state])).toEqual([
    ['forgets', 'failed'],
    ['closes', 'passed'],
  ])
  // Vitest reports an error that occurs after the test twice.
  expect([...new Set(tests[0]?.result().errors?.map(({ message }) => message))]).toEqual([
    expect.stringMatching(
      /^the test left 1 stream open: trade stream of [0-9A-Z]{26}\. Close what opened them/,
    ),
  ])
})

/** The handler as esbuild bundles it, in a process for each module format, as Lambda loads it. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startSimulator } from '@brokerwire/simulator'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { settingsOf } from '../test/settings-of.ts'

const HANDLER = fileURLToPath(new URL('handler.ts', import.meta.url))

/** Calls the handler twice: the second call is to a warm instance. */
const call = (load: string): string => `
  const { handler } = ${load}
  const results = [await handler({ rawPath: '/AAPL' }), await handler({ rawPath: '/TSLA' })]
  console.log(JSON.stringify(results))`

test.each([
  ['esm', 'mjs', (file: string) => call(`await import(${file})`)],
  ['cjs', 'cjs', (file: string) => `(async () => {${call(`require(${file})`)}})()`],
] as const)('a Lambda handler bundled as %s returns prices', async (format, extension, program) => {
  await using simulator = await startSimulator({ environment: 'sandbox' })
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-lambda-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const outfile = join(folder, `handler.${extension}`)
  await build({
    entryPoints: [HANDLER],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    conditions: ['@brokerwire/source'],
    outfile,
  })
  const inputType = format === 'esm' ? 'module' : 'commonjs'
  const args = [`--input-type=${inputType}`, '--eval', program(JSON.stringify(outfile))]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: settingsOf(simulator) })
  const result = {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: expect.stringMatching(/^\{"price":"\d+\.\d+"\}$/),
  }
  expect(JSON.parse(stdout)).toEqual([result, result])
  expect(simulator.requests().map(({ path, status }) => [path, status])).toEqual([
    ['/auth/tokens/create', 200],
    ['/market-data/stocks/snapshots/list', 200],
    ['/market-data/stocks/snapshots/list', 200],
  ])
})

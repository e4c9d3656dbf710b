/** The application as `next build` compiles it, in a project in which npm has installed the tarballs. Both routes call the local service. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { sourcesOf } from '../../tools/release/packed/tarballs.ts'
import { serveInEngine } from '../test/run-in-engine.ts'
import { settingsOf } from '../test/settings-of.ts'

const run = promisify(execFile)
/** Next is not a dependency of the workspace, because it would bring many packages that only this test uses. */
const NEXT = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']
const TYPES = ['typescript@5.9.3', '@types/node@20.19.43', '@types/react@19.3.3']
const PACKAGES = ['core', 'edge', 'client', 'operations', 'payloads'].map((name) => `@brokerwire/${name}`)

test('the edge route and the Node route of a Next.js application return a price', {
  timeout: 600_000,
}, async () => {
  const project = await mkdtemp(join(tmpdir(), 'brokerwire-nextjs-'))
  onTestFinished(() => rm(project, { recursive: true, force: true, maxRetries: 5 }))
  for (const part of ['app', 'lib', 'tsconfig.json'])
    await cp(join(import.meta.dirname, part), join(project, part), { recursive: true })
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'application', private: true }))
  const packages = [...(await sourcesOf(PACKAGES)), ...NEXT, ...TYPES]
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: project })
  const next = join(project, 'node_modules/next/dist/bin/next')
  const env = { NEXT_TELEMETRY_DISABLED: '1' }
  // The build has no settings, as in most pipelines.
  const { stdout } = await run(process.execPath, [next, 'build'], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  expect(stdout).toContain('/edge/[symbol]')

  await using simulator = await startSimulator({ environment: 'sandbox' })
  const args = [next, 'start', project, '--hostname', '127.0.0.1', '--port', '0']
  const url = await serveInEngine(process.execPath, args, { ...settingsOf(simulator), ...env })
  for (const route of ['edge', 'node']) {
    const response = await fetch(`${url}/${route}/AAPL`)
    expect(response.status, route).toBe(200)
    expect(await response.json(), route).toEqual({ price: expect.stringMatching(/^\d+\.\d+$/) })
  }
  expect(simulator.requests().map(({ path, status }) => [path, status])).toEqual([
    ['/auth/tokens/create', 200],
    ['/market-data/stocks/snapshots/list', 200],
    ['/auth/tokens/create', 200],
    ['/market-data/stocks/snapshots/list', 200],
  ])
})

/** A process that reads trade events is killed, and the next one reports the gap. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { folderOfTheRun } from '@brokerwire/testing/template-folder'
import { expect, onTestFinished, test } from 'vitest'

interface Item {
  readonly kind: string
  readonly cause?: string
  readonly fromMs?: number
  readonly toMs?: number
}

test('a gap notice covers the orders between SIGKILL and the next start', async () => {
  const simulator = await startSimulator({ environment: 'sandbox', rateLimit: false })
  onTestFinished(() => simulator.close())
  const folder = await folderOfTheRun('client-killed')
  const program = join(folder, 'program.mjs')
  await bundleProgram(new URL('./test/killed-program.ts', import.meta.url), program)
  const { region, environment, credentials, baseUrl, eventsUrl, moduleEventsUrl, accounts } = simulator
  const overrides = { baseUrl, eventsUrl, moduleEventsUrl }
  const options = {
    region,
    environment,
    appKey: credentials.appKey,
    appSecret: credentials.appSecret.reveal(),
    overrides,
    accounts,
    directory: join(folder, 'store'),
  }
  const start = (): { readonly child: ChildProcess; items(): readonly Item[] } => {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    return {
      child,
      items: () =>
        output
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Item),
    }
  }
  const kinds = (items: readonly Item[]) => items.map(({ kind }) => kind)
  const first = start()
  await expect.poll(() => kinds(first.items()), { timeout: 20_000 }).toContain('gap')
  simulator.emitOrder()
  await expect.poll(() => kinds(first.items()), { timeout: 20_000 }).toContain('order')
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const lost = [simulator.emitOrder(), simulator.emitOrder()]
  const second = start()
  await expect.poll(() => kinds(second.items()), { timeout: 20_000 }).toContain('gap')
  const gap = second.items().find(({ kind }) => kind === 'gap')
  expect(gap?.cause).toBe('restart')
  for (const { timestampMs } of lost) {
    expect(timestampMs).toBeGreaterThanOrEqual(gap?.fromMs ?? Number.NaN)
    expect(timestampMs).toBeLessThanOrEqual(gap?.toMs ?? Number.NaN)
  }
})

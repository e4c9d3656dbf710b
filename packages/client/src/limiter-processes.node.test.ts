/** Real processes on one file store share one window, even if one of them is killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { folderOfTheRun } from '@brokerwire/testing/template-folder'
import { expect, onTestFinished, test } from 'vitest'

const LIMIT = 5
const WINDOW_MS = 400
const CALLS = 8
const WORKER = join(await folderOfTheRun('limiter'), 'limiter-worker.mjs')
await bundleProgram(new URL('./test/limiter-worker.ts', import.meta.url), WORKER)

async function startWorker(directory: string) {
  const args = [WORKER, directory, CALLS, LIMIT, WINDOW_MS].map(String)
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const output = createInterface(child.stdout)
  output.on('line', (line) => lines.push(line))
  const ended = once(child, 'close')
  while (!lines.includes('ready')) await once(output, 'line')
  return { child, lines, output, ended }
}

test('four processes of which one is killed never send more than the limit in any window', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'brokerwire-limiter-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const directory = join(parent, 'store')
  const workers = await Promise.all(Array.from({ length: 4 }, () => startWorker(directory)))
  const [victim, ...survivors] = workers
  victim?.output.on('line', () => victim.child.kill('SIGKILL'))
  for (const { child } of workers) child.stdin.write('go\n')
  await Promise.all(workers.map(({ ended }) => ended))

  for (const { lines } of survivors) {
    expect(lines.at(-1)).toBe('done')
    expect(lines.filter((line) => /^\d+$/.test(line))).toHaveLength(CALLS)
  }
  expect(victim?.lines).not.toContain('done')
  const instants = workers
    .flatMap(({ lines }) => lines.filter((line) => /^\d+$/.test(line)).map(Number))
    .sort((one, other) => one - other)
  expect(instants.length).toBeGreaterThan(survivors.length * CALLS)
  for (const [index, atMs] of instants.entries()) {
    const next = instants[index + LIMIT]
    if (next !== undefined) expect(next - atMs).toBeGreaterThanOrEqual(WINDOW_MS)
  }
}, 60_000)

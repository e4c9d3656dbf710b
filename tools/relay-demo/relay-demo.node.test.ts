/** `pnpm demo:relay` as a process: what a clean clone runs first. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connect } from '@nats-io/transport-node'
import { expect, onTestFinished, test } from 'vitest'
import { needs } from '../servers/installed.ts'

const { skip, note } = needs('nats-server')
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const SLOW = { timeout: 90_000 }

async function start(...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-relay-demo-'))
  const child = spawn(
    process.execPath,
    ['--conditions=@brokerwire/source', '--import', 'tsx', MAIN, '--directory', folder, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  await expect.poll(() => lines.filter((line) => line.includes('stream.subscribed')).length, SLOW).toBe(3)
  return { child, ended, lines, folder }
}

test('on files: events stand where its first line says, and SIGTERM ends it in good order', async () => {
  const { child, ended, lines } = await start()
  const [, file = ''] = /^Events: tail -F (.+)$/.exec(lines[0] ?? '') ?? []
  await expect.poll(() => readFile(file, 'utf8'), SLOW).toContain('"Brokerwire-Type":"event"')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(lines.at(-1)).toContain('"event":"relay.stopped"')
}, 120_000)

test.skipIf(skip)(
  `on a server of NATS${note}: events arrive where its first line says, and SIGTERM ends it in good order`,
  async () => {
    const { child, ended, lines } = await start('--nats')
    const [, server = ''] = /^Events: nats --server (\S+) /.exec(lines[0] ?? '') ?? []
    const connection = await connect({ servers: server })
    onTestFinished(() => connection.close())
    for await (const message of connection.subscribe('brokerwire.>'))
      if (message.headers?.get('Brokerwire-Type') === 'event') break
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(lines.at(-1)).toContain('"event":"relay.stopped"')
  },
  120_000,
)

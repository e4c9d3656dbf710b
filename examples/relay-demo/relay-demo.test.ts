/** `pnpm demo:relay` as a process: with files, and in the full run with a NATS server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { needs } from '@brokerwire/testing/installed'
import { connect } from '@nats-io/transport-node'
import { expect, inject, onTestFinished, test } from 'vitest'

const { skip, note } = needs('nats-server')
const withNats = test.skipIf(skip || !inject('isFullRun'))
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const SLOW = { timeout: 90_000 }

async function start(...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-relay-demo-'))
  const child = spawn(
    process.execPath,
    ['--conditions=@brokerwire/source', '--import', 'tsx', MAIN, '--directory', folder, ...args],
    // The process has its own process group, as in a terminal.
    { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
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

/** The printed command after `pattern`. */
async function printedCommand(lines: readonly string[], pattern: RegExp): Promise<string> {
  const found = (): string | undefined => lines.map((line) => pattern.exec(line)?.[1]).find(Boolean)
  await expect.poll(found, SLOW).toBeDefined()
  return found() ?? ''
}

test('with files, the demo prints its processes and the path of the events, and SIGTERM stops it cleanly', async () => {
  const { child, ended, lines } = await start()
  expect(lines[0]).toBe('Starting a simulator and a relay; Ctrl-C ends them.')
  const file = await printedCommand(lines, /^Events, in a second terminal: tail -F (.+)$/)
  expect(file).toContain('_sandbox_')
  await expect.poll(() => readFile(file, 'utf8'), SLOW).toContain('"Brokerwire-Type":"event"')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(lines.at(-1)).toContain('"event":"relay.stopped"')
}, 120_000)

withNats(
  `on a NATS server${note}: events arrive at the printed address, and SIGTERM stops it cleanly`,
  async () => {
    const { child, ended, lines } = await start('--nats')
    const server = await printedCommand(lines, /^Events, in a second terminal: nats --server (\S+) /)
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

withNats(
  `on a NATS server${note}: Ctrl-C ends the relay before the server, and no process remains`,
  async () => {
    const { child, ended, lines } = await start('--nats')
    const server = await printedCommand(lines, /^Events, in a second terminal: nats --server (\S+) /)
    // Sent to the whole process group, as Ctrl-C in a terminal.
    process.kill(-(child.pid ?? 0), 'SIGINT')
    expect(await ended).toEqual([0, null])
    expect(lines.join('\n')).not.toMatch(/nats\.disconnected|sink\.waiting/)
    expect(lines.at(-1)).toContain('"event":"relay.stopped"')
    await expect(connect({ servers: server, reconnect: false, timeout: 1000 })).rejects.toThrow()
    expect(() => process.kill(-(child.pid ?? 0), 0)).toThrow('ESRCH')
  },
  120_000,
)

/** The exit status of the process if it cannot write its output. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMMANDS } from './commands/index.ts'
import { COMMAND } from './test/command.ts'
import { run } from './test/run.ts'
import { openTerminal, TERMINALS } from './test/terminal.ts'

/** A device of Linux that is always full. */
const FULL = '/dev/full'
const env = { BROKERWIRE_APP_KEY: 'key', BROKERWIRE_APP_SECRET: 'correct horse battery staple' }

/** Runs a command whose standard output or standard error is on a full disk. */
async function onFullDisk(
  args: readonly string[],
  full: 'stdout' | 'stderr',
): Promise<{ readonly status: number | null; readonly lines: readonly string[] }> {
  const file = await open(FULL, 'w')
  onTestFinished(() => file.close())
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: full === 'stdout' ? ['ignore', file.fd, 'pipe'] : ['ignore', 'pipe', file.fd],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let text = ''
  const other = full === 'stdout' ? child.stderr : child.stdout
  other?.on('data', (chunk: Buffer) => {
    text += chunk
  })
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { status, lines: text.split('\n').filter((line) => line !== '') }
}

test.each(['--version', '-V'])('%s prints the version of the package', async (flag) => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await run([flag])).toEqual({ status: 0, out: [manifest.version], err: [] })
})

/** Lines of help without the examples, which are not wrapped. */
const prose = (lines: readonly string[]): readonly string[] => lines.slice(0, lines.indexOf('Examples:'))

test.each(COMMANDS.map(({ name }) => name))(
  '%s --help has the options of every command, in 80 columns',
  async (name) => {
    const { status, out } = await run([...name.split(' '), '--help'])
    expect(status).toBe(0)
    for (const option of ['--profile <name>', '--color <when>'])
      expect(out.join('\n')).toContain(`  ${option} `)
    expect(prose(out).filter((line) => line.length > 80)).toEqual([])
  },
)

test.skipIf(TERMINALS.skip)(`help is as wide as the terminal${TERMINALS.note}`, async () => {
  // The Python script creates a terminal of 120 columns.
  const terminal = openTerminal([process.execPath, COMMAND, 'listen', '--help'], { env: {} })
  expect(await terminal.ended).toBe(0)
  const widths = prose(terminal.shown().split('\r\n')).map((line) => line.length)
  expect(Math.max(...widths)).toBeLessThanOrEqual(120)
  // Both options and paragraphs are wrapped.
  expect(widths.slice(-5).some((width) => width > 80)).toBe(true)
})

describe.skipIf(!existsSync(FULL))('on a full disk', () => {
  test.each([
    [['sign', 'https://api.example.com/a']],
    [['--help']],
    [['completion', 'zsh']],
    [['simulate']],
    [['demo']],
  ])('%j ends with one line and status 74', async (args) => {
    const { status, lines } = await onFullDisk(args, 'stdout')
    expect(lines).toEqual(['cannot write to standard output: ENOSPC'])
    expect(status).toBe(74)
  })

  test('the exit status reports that standard error cannot be written', async () => {
    const { status, lines } = await onFullDisk(['sign', 'no url'], 'stderr')
    expect(lines).toEqual([])
    expect(status).toBe(74)
  })
})

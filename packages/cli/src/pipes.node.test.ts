/** Pipes, devices and signals of the process: a closed output pipe, a closed output, endless input. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { COMMAND } from './test/command.ts'
import { run } from './test/run.ts'
import { startService, temporaryStore } from './test/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-pipes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const bin = join(folder, 'bin')
mkdirSync(bin)
symlinkSync(COMMAND, join(bin, 'brokerwire'))
const FIFO = join(folder, 'fifo')
spawnSync('mkfifo', [FIFO])
const service = await startService('--second-factor', 'manual', '--interval', '5', '--rate-limit', 'off')
const env = { ...service.env, PATH: `${bin}:${process.env.PATH}` }

/** All cases in the full set, and only the first one in the short set. */
const some = <T>(cases: readonly T[]): readonly T[] => (inject('isFullRun') ? cases : cases.slice(0, 1))

/** Runs a line in bash. @returns Its output and the status of its first command. */
function bash(line: string) {
  const { stdout, stderr } = spawnSync('bash', ['-c', `${line}\necho "status \${PIPESTATUS[0]}"`], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  const lines = stdout.trimEnd().split('\n')
  return { status: lines.pop(), lines, err: stderr }
}

describe('a closed output pipe', () => {
  test('ends a command that would run on, without an error', () => {
    const { status, lines, err } = bash('brokerwire listen trade --json | head -n 2')
    expect({ status, linesCount: lines.length, err }).toEqual({ status: 'status 0', linesCount: 2, err: '' })
  })

  test('ends a command that reads endless input', () => {
    const { status, lines, err } = bash('brokerwire decode --as order < <(yes "{}") 2>&1 | head -n 1')
    expect({ status, linesCount: lines.length, err }).toEqual({ status: 'status 0', linesCount: 1, err: '' })
  })
})

test('a command does not crash if standard output, input or error is closed', () => {
  expect(bash('brokerwire config path >&-')).toEqual({ status: 'status 0', lines: [], err: '' })
  expect(bash('brokerwire sign 2>&-')).toEqual({ status: 'status 2', lines: [], err: '' })
  const { status, err } = bash('brokerwire explain - <&-')
  expect({ status, err }).toEqual({
    status: 'status 2',
    err: expect.stringMatching(/^CLI_INPUT_UNREADABLE: standard input must be/),
  })
})

const READERS = [
  'request POST /a --no-token --body -',
  'request POST /a --no-token --body-file -',
  'decode',
  'explain -',
  'verify -',
  'compare - /etc/passwd',
  'config set app-secret',
]

test.each(some(READERS))('a standard input that cannot be read is an error: %s', (line) => {
  const { status, lines, err } = bash(`brokerwire ${line} < .`)
  const message = 'CLI_INPUT_UNREADABLE: standard input cannot be read: EISDIR\n'
  expect({ status, lines, err }).toEqual({ status: 'status 2', lines: [], err: message })
})

describe('a pipe without a writer, and an endless device, are rejected at once', () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ['vectors'],
    ['explain'],
    ['verify'],
    ['replay'],
    ['compare', '/etc/passwd'],
    ['sign', 'https://a.example/', '--body-file'],
    ['request', 'POST', '/a', '--no-token', '--body-file'],
    ['simulate', '--config'],
    ['simulate', '--app-secret-file'],
    ['simulate', '--tls-key', '/etc/passwd', '--tls-cert'],
    ['sign', 'https://a.example/', '--app-secret-file'],
    ['listen', 'module', '--cursor'],
  ]

  test.each(some(COMMANDS).map((args) => [args.join(' '), args] as const))('by %s', async (_, args) => {
    for (const file of [FIFO, '/dev/zero']) {
      const { status, err } = await service.run([...args, file])
      expect({ status, err }).toEqual({
        status: 2,
        err: [expect.stringMatching(/^CLI_(INPUT_UNREADABLE|SECRET_EXPOSED): /)],
      })
    }
  })

  test('as the profile file', async () => {
    const home = mkdtempSync(join(folder, 'home-'))
    mkdirSync(join(home, '.config/brokerwire'), { recursive: true })
    symlinkSync(FIFO, join(home, '.config/brokerwire/config.json'))
    const { status, err } = await run(['config', 'list'], { env: { HOME: home } })
    expect({ status, err }).toEqual({
      status: 2,
      err: [expect.stringMatching(/^CLI_INPUT_UNREADABLE: .*received a pipe$/)],
    })
  })
})

describe('rejects an endless standard input at its limit', () => {
  async function* zeros(): AsyncGenerator<Uint8Array> {
    for (;;) yield new Uint8Array(1 << 20)
  }
  const ENDLESS = [
    [['explain', '-']],
    [['verify', '-']],
    [['compare', '-', '/etc/passwd']],
    [['compare', '/etc/passwd', '-']],
    [['request', 'POST', '/a', '--no-token', '--body', '-']],
    [['request', 'POST', '/a', '--no-token', '--body-file', '-']],
    [['decode']],
  ]

  test.each(some(ENDLESS))('by %j', async (args) => {
    const { status, out, err } = await service.run(args, { input: zeros() })
    expect({ status, out, err }).toEqual({
      status: 2,
      out: [],
      err: [expect.stringMatching(/^CLI_INPUT_UNREADABLE: standard input must /)],
    })
  })
})

const SIGNALS = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const

test.each(some(SIGNALS))('%s before a command is done is status %i', async (signal, expected) => {
  const child = spawn(process.execPath, [COMMAND, 'token', 'wait', '--create'], {
    env: { ...env, BROKERWIRE_STORE: temporaryStore() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => child.stderr.once('data', resolve))
  child.kill(signal)
  expect(await ended).toBe(expected)
})

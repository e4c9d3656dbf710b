/**
 * `pnpm journey`: runs the five commands of the packed COMMANDS.md in an empty folder. It uses the packed
 * command line and the simulator of the same tarball, and no file of the workspace. Then it follows the start
 * pages in empty folders.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { report } from '../ci/lib/report.ts'
import { installPacked } from './packed/installed.ts'
import { followPage, type Reader } from './start-pages.ts'

/** The time after which a command counts as hanging, also on a busy machine. */
const LIMIT_MS = 120_000
const EVENTS = 5
const ADDRESSES = ['baseUrl', 'eventsUrl', 'moduleEventsUrl'] as const
type Settings = Readonly<
  Record<'region' | 'environment' | 'appKey' | 'appSecret' | (typeof ADDRESSES)[number], string>
> & {
  readonly accounts: readonly string[]
}

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-journey-'))
const [installed, cwd] = [join(folder, 'installed'), join(folder, 'empty')]
const problems: string[] = []
try {
  mkdirSync(installed)
  mkdirSync(cwd)
  await installPacked(installed)
  const PATH = `${join(installed, 'node_modules/.bin')}:${process.env.PATH}`
  const service = spawn('brokerwire', ['simulate', '--json', '--interval', '5'], {
    cwd,
    env: { PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(service, 'exit')
  try {
    const [line] = await once(createInterface({ input: service.stdout }), 'line')
    const settings = JSON.parse(String(line)) as Settings
    runCommands(PATH, settings)
    await follow('connect-to-the-service.md', readerWith(settings))
  } finally {
    service.kill('SIGTERM')
    await ended
  }
  await follow('first-event.md')
  await follow('first-signed-request.md')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
report('journey', problems, 'five commands of the packed page and the start pages, in empty folders')

/** Returns environment variables with these settings. */
function variables(service: Settings, names: readonly (keyof Settings)[]): Record<string, string> {
  const variable = (name: string): string => `BROKERWIRE_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
  return Object.fromEntries(names.map((name) => [variable(name), String(service[name])]))
}

/** A reader whose service is the simulator. */
function readerWith(service: Settings): Reader {
  const values = {
    YOUR_APP_KEY: service.appKey,
    YOUR_ACCOUNT: service.accounts[0] ?? '',
    'environment sandbox': `environment ${service.environment}`,
  }
  return { env: variables(service, ADDRESSES), values, entered: service.appSecret }
}

/** Follows a start page in its own folder, and records problems. */
async function follow(page: string, reader?: Reader): Promise<void> {
  const start = join(folder, page)
  mkdirSync(start)
  const found = await followPage(page, start, reader)
  console.log(`${found.length === 0 ? 'ok    ' : 'FAILED'}  docs/start/${page}`)
  problems.push(...found)
}

/**
 * Runs the commands, and records problems.
 *
 * @param service - The settings that the simulator printed.
 */
function runCommands(PATH: string, service: Settings): void {
  const names = ['region', 'environment', 'appKey', 'appSecret', ...ADDRESSES] as const
  const env = { PATH, HOME: folder, ...variables(service, names) }
  const bash = (line: string) =>
    spawnSync('bash', ['-c', `set -o pipefail; ${line}`], { cwd, env, encoding: 'utf8', timeout: LIMIT_MS })
  const check = (line: string, isOk: boolean, details: string): void => {
    console.log(`${isOk ? 'ok    ' : 'FAILED'}  ${line}`)
    if (!isOk) problems.push(`${line}: ${details}`)
  }
  const run = (line: string, status: number, output: RegExp): void => {
    const done = bash(line)
    const details = `status ${done.status}; expected ${status} and ${output}:\n${done.stdout}${done.stderr}`
    check(line, done.status === status && output.test(done.stdout), details)
  }
  const page = readFileSync(join(installed, 'node_modules/@brokerwire/cli/COMMANDS.md'), 'utf8')
  const [, start = ''] = /## From keys to a live event\n([\s\S]*?)\n## /.exec(page) ?? []
  const commands = [...start.matchAll(/```sh\n(.*)\n```/g)].map(([, line = '']) => line)
  const [doctor = '', token = '', request = '', listen = '', compare = ''] = commands
  run(doctor, 0, /^(?![\s\S]*^failed)[\s\S]*^ok/m)
  run(token, 0, /^token: usable until/)
  run(request, 0, /^\{"token_check_enabled":true\}$/m)
  // `head` ends the listener after its first lines. A second listener continues after the first one.
  for (const listener of [listen, listen]) {
    const { stdout, stderr } = bash(`{ ${listener}; } | head -n ${EVENTS}`)
    const count = stdout.split('\n').filter((line) => line !== '').length
    check(listener, count === EVENTS, `${count} events:\n${stderr}`)
  }
  const signed = bash("brokerwire sign 'https://api.example.com:8443/a?b=1' --json --canonical").stdout
  writeFileSync(join(cwd, 'request.json'), signed)
  const { canonical = '' } = JSON.parse(signed) as { readonly canonical?: string }
  writeFileSync(join(cwd, 'theirs.txt'), canonical.replace(':8443', ''))
  run(compare, 1, /\^\nport: The ports differ/)
  const files = readdirSync(cwd).sort().join()
  if (files !== 'cursor.json,request.json,theirs.txt') problems.push(`the folder contains ${files}`)
}

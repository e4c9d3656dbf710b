/**
 * `pnpm test:journey`: the five commands of the packed COMMANDS.md, run as they are printed by the packed command line
 * in an empty folder, against the simulator that the same tarball brings. Nothing of the workspace is on the way.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { report } from '../ci/lib/report.ts'
import { installPacked } from './packed/installed.ts'

/** How long a command may take before it counts as hanging, on a busy machine. */
const LIMIT_MS = 120_000
const EVENTS = 5

const folder = mkdtempSync(join(tmpdir(), 'brokerwire-journey-'))
const problems: string[] = []
let service: ChildProcess | undefined
try {
  const installed = join(folder, 'installed')
  mkdirSync(installed)
  await installPacked(installed)
  const cwd = join(folder, 'empty')
  mkdirSync(cwd)
  const path = `${join(installed, 'node_modules/.bin')}:${process.env.PATH}`
  const home = { PATH: path, HOME: folder }
  const bash = (line: string, env: Readonly<Record<string, string>>) =>
    spawnSync('bash', ['-c', `set -o pipefail; ${line}`], { cwd, env, encoding: 'utf8', timeout: LIMIT_MS })

  service = spawn('brokerwire', ['simulate', '--json', '--interval', '5'], {
    cwd,
    env: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [text] = await once(createInterface({ input: service.stdout as NodeJS.ReadableStream }), 'line')
  const described = JSON.parse(String(text)) as Readonly<Record<string, string>>
  const env = {
    ...home,
    BROKERWIRE_REGION: described.region ?? '',
    BROKERWIRE_ENVIRONMENT: described.environment ?? '',
    BROKERWIRE_APP_KEY: described.appKey ?? '',
    BROKERWIRE_APP_SECRET: described.appSecret ?? '',
    BROKERWIRE_HTTP_URL: described.httpUrl ?? '',
    BROKERWIRE_EVENTS_URL: described.eventsUrl ?? '',
    BROKERWIRE_MODULE_EVENTS_URL: described.moduleEventsUrl ?? '',
  }

  const page = readFileSync(join(installed, 'node_modules/@brokerwire/cli/COMMANDS.md'), 'utf8')
  const [, start = ''] = /## From keys to a live event\n([\s\S]*?)\n## /.exec(page) ?? []
  const [doctor = '', token = '', request = '', listen = '', compare = ''] = [
    ...start.matchAll(/```sh\n(.*)\n```/g),
  ].map(([, line = '']) => line)

  /** Runs a line, and notes what is wrong with what it did. */
  const step = (line: string, status: number, shows: RegExp): void => {
    const done = bash(line, env)
    console.log(`${done.status === status && shows.test(done.stdout) ? 'ok    ' : 'FAILED'}  ${line}`)
    if (done.status !== status || !shows.test(done.stdout))
      problems.push(
        `${line}: status ${done.status}, expected ${status} and ${shows}:\n${done.stdout}${done.stderr}`,
      )
  }
  step(doctor, 0, /^(?![\s\S]*^failed)[\s\S]*^ok/m)
  step(token, 0, /^token: usable until/)
  step(request, 0, /^\{"token_check_enabled":true\}$/m)
  // The page's listener goes on until it is stopped: head stops it.
  const positions = (): string => `{ ${listen}; } | head -n ${EVENTS}`
  const first = bash(positions(), env)
  const second = bash(positions(), env)
  const lines = [first, second].map(({ stdout }) => stdout.split('\n').filter((line) => line !== ''))
  const [before = [], after = []] = lines
  console.log(`${after.length === EVENTS ? 'ok    ' : 'FAILED'}  ${listen}`)
  if (before.length !== EVENTS || after.length !== EVENTS)
    problems.push(`${listen}: ${before.length} and ${after.length} events:\n${first.stderr}${second.stderr}`)
  const signed = bash("brokerwire sign 'https://api.example.com:8443/a?b=1' --json --canonical", env)
  writeFileSync(join(cwd, 'request.json'), signed.stdout)
  const { canonical = '' } = JSON.parse(signed.stdout) as { readonly canonical?: string }
  writeFileSync(join(cwd, 'theirs.txt'), canonical.replace(':8443', ''))
  step(compare, 1, /\^\nport: The ports differ/)
  const left = readdirSync(cwd).sort().join()
  if (left !== 'cursor.json,request.json,theirs.txt') problems.push(`the folder holds ${left}`)
} finally {
  service?.kill('SIGTERM')
  if (service !== undefined && service.exitCode === null) await once(service, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
report('journey', problems, 'five commands of the packed page, in an empty folder')

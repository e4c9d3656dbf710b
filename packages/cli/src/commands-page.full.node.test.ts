/**
 * Runs the commands of COMMANDS.md from keys to the first event with bash, exactly as printed, in an empty
 * folder.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { COMMAND } from './test/command.ts'
import { startService } from './test/service.ts'

const page = readFileSync(new URL('../COMMANDS.md', import.meta.url), 'utf8')
const [, start = ''] = /## From keys to a live event\n([\s\S]*?)\n## /.exec(page) ?? []
const commands = [...start.matchAll(/```sh\n(.*)\n```/g)].map(([, line = '']) => line)
const service = await startService('--interval', '5', '--rate-limit', 'off')
const folder = mkdtempSync(join(tmpdir(), 'brokerwire-page-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const bin = join(folder, 'bin')
mkdirSync(bin)
symlinkSync(COMMAND, join(bin, 'brokerwire'))
const cwd = join(folder, 'empty')
mkdirSync(cwd)
const env = { ...service.env, PATH: `${bin}:${process.env.PATH}` }

/** Runs a line in bash. */
function bash(line: string): { readonly status: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd, env, encoding: 'utf8' })
  return { status, out: stdout, err: stderr }
}

/** Output of the page's listener, until it and its shell are killed. */
async function untilKilled(line: string, count: number): Promise<string[]> {
  const child = spawn('bash', ['-c', line], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const kill = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // The process has ended already.
    }
  }
  onTestFinished(kill)
  const lines: string[] = []
  for await (const printed of createInterface({ input: child.stdout })) {
    lines.push(printed)
    if (lines.length === count) kill()
  }
  return lines
}

test('five commands lead from keys to a live event, and to the cause of a wrong signature', async () => {
  expect(commands.length).toBe(5)
  const [doctor = '', token = '', request = '', listen = '', compare = ''] = commands
  const examined = bash(doctor)
  expect({ status: examined.status, out: examined.out }).toEqual({
    status: 0,
    out: expect.not.stringMatching(/^failed/m),
  })
  expect(bash(token)).toMatchObject({ status: 0, out: expect.stringMatching(/^token: usable until/) })
  expect(bash(request)).toMatchObject({ status: 0, out: '{"token_check_enabled":true}\n' })
  const first = await untilKilled(listen, 15)
  const second = await untilKilled(listen, 15)
  expect(first.length).toBeGreaterThanOrEqual(15)
  // The second listener starts within the events that the first one printed, because events that were not
  // committed are sent again, or directly after them.
  const at = first.indexOf(second[0] ?? '')
  const both = Math.min(first.length - at, second.length)
  if (at >= 0) expect(second.slice(0, both)).toEqual(first.slice(at, at + both))
  const { out } = bash(
    "brokerwire sign 'https://api.example.com:8443/a?b=1' --json --canonical > request.json; jq -r .canonical request.json",
  )
  writeFileSync(join(cwd, 'theirs.txt'), out.replace(':8443', ''))
  expect(bash(compare)).toMatchObject({ status: 1, out: expect.stringMatching(/\^\nport: The ports differ/) })
}, 120_000)

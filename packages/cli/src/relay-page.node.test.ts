/**
 * Runs the commands of the relay's page that work with the simulator with bash, exactly as printed, in an
 * empty folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { COMMAND } from './test/command.ts'
import { startService } from './test/service.ts'
import { temporaryFolder } from './test/temporary.ts'

const page = readFileSync(new URL('../../../docs/guides/relay.md', import.meta.url), 'utf8')
const [, part = ''] = /### Against the simulator\n([\s\S]*?)\n## /.exec(page) ?? []
const [simulate = '', relay = '', tail = ''] = [...part.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(
  ([, lines = '']) => lines,
)
const [program, command, ...flags] = simulate.split(' ')
const service = await startService(...flags)

test('a relay writes what the simulator sends, into the file that the page names', async () => {
  expect({ program, command }).toEqual({ program: 'brokerwire', command: 'simulate' })
  const folder = await temporaryFolder()
  const bin = join(folder, 'bin')
  const cwd = join(folder, 'empty')
  await mkdir(bin)
  await mkdir(cwd)
  symlinkSync(COMMAND, join(bin, 'brokerwire'))
  const env = { ...service.env, PATH: `${bin}:${process.env.PATH}` }
  const bash = (lines: string): ChildProcess => {
    const child = spawn('bash', ['-c', lines], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'))
    return child
  }
  const linesOf = ({ stdout }: ChildProcess): string[] => {
    const lines: string[] = []
    if (stdout !== null) createInterface({ input: stdout }).on('line', (line) => lines.push(line))
    return lines
  }
  // Runs before the first event, as it may for a reader of the page.
  const events = linesOf(bash(tail))
  const said = linesOf(bash(relay))
  await expect.poll(() => said.some((line) => line.includes('"event":"relay.started"'))).toBe(true)
  await expect
    .poll(() => events.filter((line) => line.includes('"Brokerwire-Type":"event"')).length)
    .toBeGreaterThan(1)
})

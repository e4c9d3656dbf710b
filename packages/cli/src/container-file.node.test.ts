/**
 * The Containerfile of the repository. The full set runs its command as a plain process, in the folder of the package.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, inject, onTestFinished, test } from 'vitest'
import { environmentOf } from './test/environment.ts'

const text = await readFile(new URL('../../../Containerfile', import.meta.url), 'utf8')
const stage = text.slice(text.lastIndexOf('\nFROM '))
/** In the container, `pnpm deploy` copies this package into the working directory. */
const cwd = fileURLToPath(new URL('..', import.meta.url))

function instruction(name: string): string {
  const [, rest] = new RegExp(`^${name} (.+)$`, 'm').exec(stage) ?? []
  if (rest === undefined) throw new Error(`the last stage has no ${name}`)
  return rest
}

const command = JSON.parse(instruction('CMD')) as readonly string[]
const health = JSON.parse(instruction('HEALTHCHECK').replace(/^CMD /, '')) as readonly string[]
const ports = instruction('EXPOSE').split(' ')

/** Port 0, because the fixed ports of the container may be in use on this machine. */
const onAnyPort = command.map((word) => (ports.includes(word) ? '0' : word))

test('the start command runs node on the exposed ports, without root', () => {
  expect(onAnyPort.filter((word) => word === '0').length).toBe(ports.length)
  expect(instruction('USER')).not.toBe('root')
  expect(command[0]).toBe('node')
  expect(health.some((word) => word.includes(`:${ports[0]}/`))).toBe(true)
})

test.runIf(inject('isFullRun'))(
  'the start command serves, the health check passes, and the stop signal ends it',
  async () => {
    const [, ...args] = onAnyPort
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      if (line.startsWith('export BROKERWIRE_CONTROL_TOKEN=')) break
    }
    child.stdout.resume()
    const { port } = new URL(String(environmentOf(lines).BROKERWIRE_BASE_URL))
    const statusOf = async (at: string): Promise<unknown> => {
      const check = health.slice(1).map((word) => word.replace(`:${ports[0]}/`, `:${at}/`))
      const checking = spawn(process.execPath, check, { cwd, stdio: 'ignore' })
      const [status] = await once(checking, 'exit')
      return status
    }
    expect(await statusOf(port)).toBe(0)
    child.kill(instruction('STOPSIGNAL') as 'SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await statusOf(port)).toBe(1)
  },
)

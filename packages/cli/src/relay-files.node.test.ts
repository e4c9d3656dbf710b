/** Files of `deploy/relay`. The full set runs the commands of container and compose as plain processes. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Secret } from '@brokerwire/core'
import { checkRelay, parseRelayConfig } from '@brokerwire/relay'
import { freePort } from '@brokerwire/testing/free-port'
import { needs, programOf } from '@brokerwire/testing/installed'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startService } from './test/service.ts'
import { temporaryFolder } from './test/temporary.ts'

const service = await startService('--scenario', 'none')
const { skip, note } = needs('nats-server')
const SLOW = { timeout: 60_000 }
const DEPLOY = new URL('../../../deploy/relay/', import.meta.url)
const read = (name: string): Promise<string> => readFile(new URL(name, DEPLOY), 'utf8')
const container = await read('Containerfile')
const stage = container.slice(container.lastIndexOf('\nFROM '))

function instruction(name: string): string {
  const [, rest] = new RegExp(`^${name} (.+)$`, 'm').exec(stage) ?? []
  if (rest === undefined) throw new Error(`the last stage has no ${name}`)
  return rest
}

/** A list of a service in the compose file, where each list is on one line. */
function listOf(compose: string, serviceName: string, name: string): readonly string[] {
  const [, block = ''] = new RegExp(`^ {2}${serviceName}:\\n((?: {4}.*\\n)+)`, 'm').exec(compose) ?? []
  const [, list] = new RegExp(`^ {4}${name}: (\\[.*\\])$`, 'm').exec(block) ?? []
  if (list === undefined) throw new Error(`${serviceName} has no ${name}`)
  return list
    .slice(1, -1)
    .split(',')
    .map((word) => word.trim().replace(/^"|"$/g, ''))
}

describe.skipIf(skip || !inject('isFullRun'))(`container and compose${note}`, { timeout: 120_000 }, () => {
  test('the start commands bring up a relay on NATS that the health check sees, and the stop signal ends it in good order', async () => {
    const compose = await read('compose.yaml')
    const folder = await temporaryFolder()
    const port = await freePort()
    const nats = [...listOf(compose, 'nats', 'command')]
    const store = nats.pop() ?? ''
    await mkdir(join(folder, store))
    const args = [...nats, join(folder, store), '-a', '127.0.0.1', '-p', String(port)]
    const server = spawn(programOf('nats-server'), args, { stdio: 'ignore' })
    onTestFinished(() => {
      server.kill('SIGKILL')
    })

    const secretOf: Readonly<Record<string, string | undefined>> = {
      'app-key': service.env.BROKERWIRE_APP_KEY,
      'app-secret': service.env.BROKERWIRE_APP_SECRET,
    }
    for (const name of listOf(await read('service.yaml'), 'relay', 'secrets'))
      await writeFile(join(folder, name), secretOf[name] ?? '', { mode: 0o600 })
    const text = await read('relay.json')
    expect(parseRelayConfig(text).sink).toMatchObject({ servers: ['nats://nats:4222'] })
    const healthPort = await freePort()
    const config = JSON.parse(text.replaceAll('/run/secrets/', `${folder}/`)) as {
      apps: object[]
      sink: { servers: string[] }
      health: { port: number }
    }
    const { env } = service
    config.apps = [
      {
        ...config.apps[0],
        environment: env.BROKERWIRE_ENVIRONMENT,
        region: env.BROKERWIRE_REGION,
        accounts: env.BROKERWIRE_ACCOUNTS?.split(','),
        eventsUrl: env.BROKERWIRE_EVENTS_URL,
        moduleEventsUrl: env.BROKERWIRE_MODULE_EVENTS_URL,
      },
    ]
    config.sink.servers = [`nats://127.0.0.1:${port}`]
    expect(config.health.port).toBe(Number(instruction('EXPOSE')))
    config.health.port = healthPort
    const file = join(folder, 'relay.json')
    await writeFile(file, JSON.stringify(config))

    const command = JSON.parse(instruction('CMD')) as readonly string[]
    const [program, ...words] = command.map((word) => (word === '/etc/brokerwire/relay.json' ? file : word))
    expect(program).toBe('node')
    expect(words).toContain(file)
    expect(instruction('USER')).not.toBe('root')
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    const relay = spawn(process.execPath, words, {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOSTNAME: 'a-container' },
    })
    onTestFinished(() => {
      relay.kill('SIGKILL')
    })
    const lines: string[] = []
    createInterface({ input: relay.stdout }).on('line', (line) => lines.push(line))
    const check = JSON.parse(instruction('HEALTHCHECK').replace(/^CMD /, '')) as readonly string[]
    const healthy = async (): Promise<unknown> => {
      const call = check.slice(1).map((word) => word.replace(':8480/', `:${healthPort}/`))
      const [status] = await once(spawn(process.execPath, call, { stdio: 'ignore' }), 'exit')
      return status
    }
    await expect.poll(healthy, SLOW).toBe(0)
    await expect.poll(() => lines.filter((line) => line.includes('stream.subscribed')).length, SLOW).toBe(3)
    const ended = once(relay, 'exit')
    relay.kill(instruction('STOPSIGNAL') as 'SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(await healthy()).toBe(1)
  })
})

test('the configuration next to them works: it used to lack an origin', async () => {
  const config = parseRelayConfig(await read('relay.json'), 'relay.json')
  expect(config.apps[0]?.subscriptions).toContain('module')
  // Docker and Podman set the variable to a value that is unique for each container and survives a restart.
  expect(config.name).toEqual({ env: 'HOSTNAME' })
  await checkRelay(config, async () => new Secret('a-right-one-of-32-characters-000'), { HOSTNAME: 'one' })
})

describe('the unit of systemd', () => {
  test('stops the relay by the signal that drains it, gives it the time, and does not repeat wrong usage', async () => {
    const unit = await read('brokerwire-relay.service')
    const field = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
    expect(field('ExecStart')).toBe(
      '/usr/bin/env HOSTNAME=%H brokerwire relay --config /etc/brokerwire/relay.json',
    )
    expect(field('KillSignal')).toBe('SIGTERM')
    expect(Number(field('TimeoutStopSec'))).toBeGreaterThan(10)
    expect(field('RestartPreventExitStatus')).toBe('2')
    expect(field('DynamicUser')).toBe('yes')
    expect(unit).not.toMatch(/^Environment=/m)
  })

  test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('is one that systemd takes', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'brokerwire-relay.service')
    await writeFile(file, await read('brokerwire-relay.service'))
    const { status, stdout, stderr } = spawnSync('/usr/bin/systemd-analyze', ['verify', file], {
      encoding: 'utf8',
    })
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('brokerwire-relay.service'))
    expect({ status, about }).toEqual({ status: 0, about: [] })
  })
})

/** `brokerwire relay` with a sink in Redis: events through a killed server and one that hangs, and wrong settings. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseRelayConfig } from '@brokerwire/relay'
import { needs } from '@brokerwire/testing/installed'
import { startRedis } from '@brokerwire/testing/redis'
import { ROOT } from '@brokerwire/testing/root'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  APP,
  createEmitter,
  expectEndWhileHanging,
  expectEventsThroughKill,
  startRelayApp,
} from '../test/relay-app.ts'
import { SLOW, startRelay } from '../test/relay-process.ts'
import { run } from '../test/run.ts'
import { temporaryFolder } from '../test/temporary.ts'

const { skip, note } = needs('redis-server')
const PASSWORD = 'not-shown-anywhere'

async function configFile(change: object = {}): Promise<string> {
  const folder = await temporaryFolder()
  const file = join(folder, 'relay.json')
  const sink = { type: 'redis', url: { env: 'REDIS_URL' } }
  const store = { type: 'file', directory: join(folder, 'state') }
  await writeFile(file, JSON.stringify({ apps: [APP], sink, store, ...change }))
  return file
}

async function setUp(...args: string[]) {
  const server = await startRedis({ args: ['--requirepass', PASSWORD, ...args] })
  onTestFinished(() => server.close())
  const { simulator, config, env } = await startRelayApp()
  const file = await configFile(config)
  const url = `redis://:${PASSWORD}@127.0.0.1:${server.port}`
  return { server, simulator, env: { ...env, REDIS_URL: url }, file }
}

describe('brokerwire relay with Redis', { timeout: 120_000 }, () => {
  test.skipIf(skip)(
    `writes each event once and in order while the server is killed and while it hangs${note}`,
    async () => {
      const { server, simulator, env, file } = await setUp()
      const relay = startRelay(['--config', file], env)
      await relay.said('stream.subscribed')
      const reader = createClient({ url: env.REDIS_URL ?? '', socket: { reconnectStrategy: 100 } })
      reader.on('error', () => {})
      await reader.connect()
      onTestFinished(() => reader.destroy())
      const ids = async (): Promise<unknown[]> => {
        const messages = await reader.xRange(`brokerwire_sandbox_${simulator.region}_team-a`, '-', '+')
        return (messages ?? []).flatMap(({ message }) => {
          const headers = JSON.parse(message.headers ?? '{}') as Record<string, string>
          return headers['Brokerwire-Type'] === 'event' ? [headers['Brokerwire-Id']] : []
        })
      }
      const emitter = createEmitter(simulator)
      const { emitted, emit } = emitter
      await expectEventsThroughKill({ server, relay, emitter, ids })
      await server.pause()
      emit(5)
      // Long enough for the relay to replace its connection. The server then reads the same batch from both.
      await setTimeout(8000)
      server.resume()
      emit(5)
      await expect.poll(ids, SLOW).toEqual(emitted)
      await expectEndWhileHanging({ server, relay })
      expect(relay.texts.join('\n')).not.toContain(PASSWORD)
    },
  )

  test.skipIf(skip)(`logs a setting that may lose events, once${note}`, async () => {
    const { env, file } = await setUp('--appendonly', 'no')
    const relay = startRelay(['--config', file], env)
    await relay.said('stream.subscribed')
    expect(await relay.stop()).toEqual([0, null])
    expect(relay.lines.filter(({ event }) => event === 'redis.setting')).toMatchObject([
      { level: 'warn', setting: 'appendonly', command: 'redis-cli CONFIG SET appendonly yes' },
    ])
  })

  test.skipIf(skip)(`ends if the server rejects the password${note}`, async () => {
    const { env, file, server } = await setUp()
    const other = 'another-password-not-shown'
    const relay = startRelay(['--config', file], {
      ...env,
      REDIS_URL: `redis://:${other}@127.0.0.1:${server.port}`,
    })
    expect(await relay.ended).toEqual([2, null])
    expect(relay.texts.at(-1)).toMatch(/sink\.url must have a user, a password and a database.*WRONGPASS/)
    expect(relay.texts.join('\n')).not.toContain(other)
  })

  test('has valid configurations in the page on Redis and in the folder of deployments', async () => {
    const page = await readFile(join(ROOT, 'docs/guides/relay-redis.md'), 'utf8')
    const [, config = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    const deployed = await readFile(join(ROOT, 'deploy/relay/relay-redis.json'), 'utf8')
    for (const text of [config, deployed]) expect(parseRelayConfig(text).sink.type).toBe('redis')
  })

  test('rejects other URLs', async () => {
    const file = await configFile()
    const urls = ['http://host', 'redis:///0', 'redis://host/name', `redis://:${PASSWORD}%@host`, PASSWORD]
    for (const url of urls) {
      const env = {
        REDIS_URL: url,
        APP_KEY: 'app-key-of-this-test',
        APP_SECRET: 'app-secret-of-this-test',
      }
      const { status, out, err } = await run(['relay', '--config', file, '--check'], { env })
      expect({ status, err }).toEqual({
        status: 2,
        err: [expect.stringMatching(/^CLI_OPTION_INVALID: sink\.url must be a URL/)],
      })
      expect(out.join('\n')).not.toContain(PASSWORD)
    }
  })
})

/**
 * `brokerwire relay` as a process, with the simulator as another process. It writes to files, and to a NATS
 * server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { consumeRelay } from '@brokerwire/relay/nats'
import { createFileStore } from '@brokerwire/stores/file'
import { needs } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { jetstream } from '@nats-io/jetstream'
import { connect, nkeys } from '@nats-io/transport-node'
import { Ajv } from 'ajv'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { SLOW, startRelay } from '../test/relay-process.ts'
import { run, runInBackground } from '../test/run.ts'
import { startService } from '../test/service.ts'
import { temporaryFolder } from '../test/temporary.ts'

const service = await startService('--scenario', 'none')
const { skip, note } = needs('nats-server')
const ROOT_NAME = `brokerwire.${service.env.BROKERWIRE_ENVIRONMENT}.${service.env.BROKERWIRE_REGION}.team-a`
const app = (more: object = {}) => ({
  name: 'team-a',
  region: service.env.BROKERWIRE_REGION,
  environment: service.env.BROKERWIRE_ENVIRONMENT,
  appKey: { env: 'BROKERWIRE_APP_KEY' },
  appSecret: { env: 'BROKERWIRE_APP_SECRET' },
  accounts: (service.env.BROKERWIRE_ACCOUNTS ?? '').split(','),
  modules: ['application'],
  eventsUrl: service.env.BROKERWIRE_EVENTS_URL,
  moduleEventsUrl: service.env.BROKERWIRE_MODULE_EVENTS_URL,
  baseUrl: service.env.BROKERWIRE_BASE_URL,
  ...more,
})

async function configFile(change: object = {}): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder()
  const file = join(folder, 'relay.json')
  const config = {
    apps: [app()],
    sink: { type: 'file', directory: join(folder, 'events') },
    store: { type: 'file', directory: join(folder, 'state') },
    health: { port: 0 },
    slotLingerMs: 0,
    ...change,
  }
  await writeFile(file, JSON.stringify(config, undefined, 2))
  return { folder, file }
}

const start = (args: readonly string[]) => startRelay(args, service.env)

/** Secrets that must not appear anywhere. */
const secrets = (): readonly string[] => [
  service.env.BROKERWIRE_APP_SECRET ?? '',
  service.env.BROKERWIRE_APP_KEY ?? '',
]

describe('brokerwire relay', { timeout: 120_000 }, () => {
  test('writes events to a file without a server, commits on SIGTERM, and continues in a second run', async () => {
    const { folder, file } = await configFile()
    const first = start(['--config', file, '--metrics', '100ms'])
    const started = await first.said('relay.started')
    await first.said('stream.subscribed', 3)
    await expect.poll(async () => (await fetch(`${started.health}/readyz`)).status, SLOW).toBe(200)
    expect((await fetch(`${started.health}/healthz`)).status).toBe(200)
    const events = join(folder, 'events', `${ROOT_NAME.replaceAll('.', '_')}.jsonl`)
    const tail = spawn('tail', ['-n', '+1', '-F', events], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => {
      tail.kill('SIGKILL')
    })
    let shown = ''
    tail.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
    await service.control.emit({ order: {} })
    const count = (text: string, what: string): number => text.split(what).length - 1
    const anEvent = '"Brokerwire-Type":"event"'
    await expect.poll(() => count(shown, anEvent), SLOW).toBe(1)
    await service.control.emit({ module: { module: 'application' } })
    await expect.poll(() => count(shown, anEvent), SLOW).toBe(2)
    await first.said('relay.metrics')
    expect(await first.stop()).toEqual([0, null])
    expect(first.lines.at(-1)?.event).toBe('relay.stopped')
    const metrics = first.lines.filter(({ event }) => event === 'relay.metrics').at(-1)
    // Trade, position and module events have one gap each: the time before the first subscription.
    expect(metrics?.apps?.['team-a']).toMatchObject({ duplicates: 0, gaps: 3, reconnects: 0 })
    expect(metrics?.apps?.['team-a']?.messages).toBeGreaterThan(2)
    expect(metrics?.apps?.['team-a']?.bytes).toBeGreaterThan(100)
    await expect.poll(() => shown, SLOW).toContain('\\"state\\":\\"released\\"')

    // At this time there is no subscription. The module event is sent later because of its cursor, and the
    // order is in a gap.
    await service.control.emit({ module: { module: 'application' } })
    const second = start(['--config', file])
    await second.said('stream.subscribed', 3)
    await expect.poll(() => count(shown, anEvent), SLOW).toBe(3)
    const streamsWithGap = (text: string, cause: string): readonly string[] =>
      text
        .split('\n')
        .filter(
          (line) => line.includes('\\"kind\\":\\"gap\\"') && line.includes(`\\"cause\\":\\"${cause}\\"`),
        )
        .map((line) => JSON.parse(line).headers['Brokerwire-Stream'])
        .sort()
    await expect.poll(() => streamsWithGap(shown, 'restart'), SLOW).toEqual(['position', 'trade'])
    expect(streamsWithGap(shown, 'before-subscription')).toEqual(['module', 'position', 'trade'])
    expect(await second.stop()).toEqual([0, null])
    const all = [...first.texts, ...second.texts, await readFile(events, 'utf8')].join('\n')
    for (const secret of secrets()) expect(all).not.toContain(secret)
  })

  test.skipIf(skip)(
    `reports the command for a missing bucket, creates all with --create-stream, and publishes no secret${note}`,
    async () => {
      const nats = await startNats()
      onTestFinished(() => nats.close())
      const server = `nats://127.0.0.1:${nats.port}`
      const connection = await connect({ servers: server })
      onTestFinished(() => connection.close())
      // Everything that is published from now on, including the records of the store.
      const published: string[] = []
      connection.subscribe('>', {
        callback: (_, message) => {
          const values = message.headers?.keys().map((name) => message.headers?.get(name)) ?? []
          published.push([message.subject, ...values, message.string()].join('\n'))
        },
      })
      const { file } = await configFile({
        sink: { type: 'jetstream', servers: [server] },
        store: { type: 'nats', bucket: 'relay' },
      })
      const without = start(['--config', file])
      expect(await without.ended).toEqual([1, null])
      expect(without.texts.join('\n')).toMatch(/RELAY_SINK_MISCONFIGURED/)
      expect(without.texts.join('\n')).toContain(`brokerwire relay --config ${file} --create-stream`)

      const relay = start(['--config', file, '--create-stream'])
      await relay.said('stream.subscribed', 3)
      await service.control.emit({ order: {} })
      const address = {
        prefix: 'brokerwire',
        environment: service.env.BROKERWIRE_ENVIRONMENT as 'sandbox',
        region: service.env.BROKERWIRE_REGION as 'us',
        app: 'team-a',
      } as const
      const items = consumeRelay({ js: jetstream(connection), address, durableName: 'test' })
      for await (const item of items) {
        if (item.type !== 'event') continue
        expect(item.kind).toBe('order')
        break
      }
      expect(await relay.stop()).toEqual([0, null])
      await connection.flush()
      const all = published.join('\n')
      for (const part of ['$KV.relay.', `${ROOT_NAME}.trade.event.`, '"released"'])
        expect(all).toContain(part)
      for (const secret of secrets()) expect(all).not.toContain(secret)
    },
  )

  test.skipIf(skip)(
    `a stream that is missing${note} keeps the relay from being ready, and its line has the command`,
    async () => {
      const nats = await startNats()
      onTestFinished(() => nats.close())
      const { file } = await configFile({
        sink: { type: 'jetstream', servers: [`nats://127.0.0.1:${nats.port}`] },
      })
      const relay = start(['--config', file])
      const failed = await relay.said('app.failed')
      expect(failed).toMatchObject({
        level: 'error',
        app: 'team-a',
        err: {
          code: 'RELAY_SINK_MISCONFIGURED',
          command: `brokerwire relay --config ${file} --create-stream`,
        },
      })
      const { health } = await relay.said('relay.started')
      expect((await fetch(`${health}/readyz`)).status).toBe(503)
      expect(await relay.stop()).toEqual([0, null])
    },
  )

  test('releases the apps on SIGHUP, as on SIGTERM: SIGHUP used to kill the relay', async () => {
    const { folder, file } = await configFile()
    const relay = start(['--config', file])
    await relay.said('stream.subscribed', 3)
    expect(await relay.stop('SIGHUP')).toEqual([0, null])
    const events = join(folder, 'events', `${ROOT_NAME.replaceAll('.', '_')}.jsonl`)
    const lines = (await readFile(events, 'utf8')).trim().split('\n')
    expect(lines.at(-1)).toContain('\\"state\\":\\"released\\"')
  })

  test.skipIf(skip).each(['file', 'nats'])(
    `SIGTERM while NATS is away${note} took more than ten seconds, with a store of type %s`,
    async (store) => {
      const nats = await startNats()
      onTestFinished(() => nats.close())
      const { file } = await configFile({
        sink: { type: 'jetstream', servers: [`nats://127.0.0.1:${nats.port}`] },
        ...(store === 'nats' && { store: { type: 'nats', bucket: 'relay' } }),
      })
      const relay = start(['--config', file, '--create-stream'])
      await relay.said('stream.subscribed', 3)
      await nats.kill()
      await relay.said('nats.disconnected')
      await service.control.emit({ order: {} })
      const startedMs = performance.now()
      expect(await relay.stop()).toEqual([0, null])
      expect(performance.now() - startedMs).toBeLessThan(8000)
    },
  )

  test.skipIf(skip || !inject('isFullRun'))(
    `responds with 503 on /readyz within 20 seconds after NATS stopped, and with 200 when it is back${note}`,
    async () => {
      const nats = await startNats()
      onTestFinished(() => nats.close())
      const { file } = await configFile({
        sink: { type: 'jetstream', servers: [`nats://127.0.0.1:${nats.port}`] },
      })
      const relay = start(['--config', file, '--create-stream'])
      const { health } = await relay.said('relay.started')
      const ready = async () => (await fetch(`${health}/readyz`)).status
      await expect.poll(ready, SLOW).toBe(200)
      for (const [stop, goOn] of [
        [() => nats.pause(), async () => nats.resume()],
        [() => nats.kill(), () => nats.restart()],
      ] as const) {
        await stop()
        await expect.poll(ready, { timeout: 25_000, interval: 500 }).toBe(503)
        await goOn()
        await expect.poll(ready, SLOW).toBe(200)
      }
    },
  )

  test.skipIf(skip || !inject('isFullRun'))(
    `NATS${note} stopped for eight seconds, after the stream had deleted the notice of its writer, ended it as foreign for ever`,
    async () => {
      const nats = await startNats()
      onTestFinished(() => nats.close())
      const { file } = await configFile({
        sink: { type: 'jetstream', servers: [`nats://127.0.0.1:${nats.port}`] },
        store: { type: 'nats', bucket: 'relay' },
        heartbeatIntervalMs: 500,
      })
      const relay = start(['--config', file, '--create-stream'])
      const { health } = await relay.said('relay.started')
      const ready = async () => (await fetch(`${health}/readyz`)).status
      await expect.poll(ready, SLOW).toBe(200)
      const connection = await connect({ port: nats.port })
      onTestFinished(() => connection.close())
      const stream = ROOT_NAME.replaceAll('.', '_')
      await connection.request(`$JS.API.STREAM.PURGE.${stream}`, '')
      await nats.pause()
      await relay.said('cluster.lost')
      await new Promise((resolve) => setTimeout(resolve, 8000))
      nats.resume()
      // The service counts lost connections for some time.
      await relay.said('stream.subscribed', 5)
      await expect.poll(ready, SLOW).toBe(200)
      expect(relay.texts.join('\n')).not.toContain('RELAY_STREAM_MISMATCH')
      expect(await relay.stop()).toEqual([0, null])
    },
  )

  test('responds with 200 at /healthz and 503 at /readyz while it waits for NATS, until SIGTERM', async () => {
    const { file } = await configFile({ sink: { type: 'jetstream', servers: ['nats://127.0.0.1:1'] } })
    const relay = start(['--config', file])
    const { health } = await relay.said('health.serving')
    expect(await relay.said('nats.unreachable')).toMatchObject({ level: 'warn', waitedMs: 0 })
    expect((await fetch(`${health}/healthz`)).status).toBe(200)
    const ready = await fetch(`${health}/readyz`)
    expect({ status: ready.status, body: await ready.json() }).toEqual({
      status: 503,
      body: { isReady: false, members: [], apps: {}, reasons: {} },
    })
    expect(await relay.stop()).toEqual([143, null])
  })
})

test('the first SIGTERM ends the wait for an unavailable store: it used to need a second one', async () => {
  const { folder, file } = await configFile({ heartbeatIntervalMs: 200 })
  const state = join(folder, 'state')
  await createFileStore({ directory: state }).compareAndSet('relay/main/members', undefined, '')
  // The lock of a process whose state is unknown. Writers wait for it for half a minute.
  const [record = ''] = await readdir(state)
  await rename(join(state, record), join(state, record.replace(/json$/, 'write')))
  const stop = new AbortController()
  const relay = runInBackground(['relay', '--config', file], { env: service.env, signal: stop.signal })
  await expect.poll(() => relay.out.join('\n'), SLOW).toContain('"store.failed"')
  stop.abort('SIGTERM')
  expect((await relay.done).status).toBe(143)
  expect(relay.out.join('\n')).not.toContain('"relay.started"')
}, 90_000)

describe('an error before anything is opened', () => {
  test('names the file, the line and the field, but not its value', async () => {
    const { file } = await configFile({ apps: [app({ region: 'a-secret-of-32-characters-or-more' })] })
    const { status, err } = await run(['relay', '--config', file], { env: service.env })
    expect({ status, err }).toEqual({
      status: 2,
      err: [expect.stringMatching(/^RELAY_CONFIG_INVALID: .*relay\.json:\d+:\d+: apps\[0\]\.region must /)],
    })
    expect(err.join()).not.toContain('a-secret-of-32-characters-or-more')
  })

  test.each([
    [['relay'], /--config/],
    [['relay', '--config', '/nonexistent/relay.json'], /\/nonexistent\/relay\.json/],
  ])('%j', async (args, message) => {
    const { status, err } = await run(args, { env: service.env })
    expect({ status, err: err.join('\n') }).toEqual({ status: 2, err: expect.stringMatching(message) })
  })

  test('names the field of a health port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const { file } = await configFile({ health: { port } })
    expect(await run(['relay', '--config', file], { env: service.env })).toMatchObject({
      status: 2,
      err: [
        `CLI_OPTION_INVALID: health.port must be a free port of 127.0.0.1; received EADDRINUSE at ${port}`,
      ],
    })
  })

  test('reports invalid credentials of NATS: --check used to ignore them, and the relay used to wait forever', async () => {
    const { folder } = await configFile()
    const file = join(folder, 'nats.creds')
    const seed = new TextDecoder().decode(nkeys.createUser().getSeed())
    const creds = [
      '-----BEGIN NATS USER JWT-----',
      'eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJYIn0.AAAA',
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
    ].join('\n')
    const check = async (...more: readonly string[]) => {
      const sink = { type: 'jetstream', servers: ['nats://127.0.0.1:1'], credentials: { file } }
      const made = await configFile({ sink })
      return run(['relay', '--config', made.file, ...more], { env: service.env })
    }
    expect(await check('--check')).toMatchObject({
      status: 2,
      err: [expect.stringContaining('sink.credentials')],
    })
    for (const junk of ['junk-not-shown', creds.replace(seed, `${seed.slice(0, -4)}AAAA`)]) {
      await writeFile(file, junk, { mode: 0o600 })
      for (const flags of [['--check'], []]) {
        const { status, out, err } = await check(...flags)
        expect({ status, err }).toEqual({
          status: 2,
          err: [
            'CLI_OPTION_INVALID: sink.credentials must be the text of a .creds file of NATS, with a JWT and a seed',
          ],
        })
        expect(out.join()).not.toContain('not-shown')
      }
    }
    // With and without a final line break, and with CRLF.
    for (const text of [creds, `${creds}\n`, creds.replaceAll('\n', '\r\n')]) {
      await writeFile(file, text)
      await chmod(file, 0o644)
      const { status, out } = await check('--check')
      expect({ status, out: out.map((line) => JSON.parse(line)) }).toMatchObject({
        status: 0,
        out: [{ event: 'secret.readable', field: 'sink.credentials', file }, { event: 'relay.checked' }],
      })
      expect(out.join()).not.toContain(seed)
    }
    await chmod(file, 0o666)
    expect(await check('--check')).toMatchObject({
      status: 2,
      err: [expect.stringContaining('CLI_SECRET_EXPOSED')],
    })
  })

  test('reports --create-stream with a file sink, a missing variable, and a secret that other users can change', async () => {
    const { folder, file } = await configFile()
    expect(await run(['relay', '--config', file, '--create-stream'], { env: service.env })).toMatchObject({
      status: 2,
      err: [expect.stringContaining('--create-stream')],
    })
    const unset = await configFile({ apps: [app({ appSecret: { env: 'RELAY_TEST_NOT_SET' } })] })
    expect(await run(['relay', '--config', unset.file, '--check'], { env: service.env })).toMatchObject({
      status: 2,
      err: [expect.stringContaining('RELAY_TEST_NOT_SET')],
    })
    const secret = join(folder, 'secret')
    await writeFile(secret, 'not-shown')
    await chmod(secret, 0o666)
    const places = { appKey: { file: secret }, appSecret: { file: secret } }
    const exposed = await configFile({ apps: [app(places)] })
    const refused = await run(['relay', '--config', exposed.file, '--check'], { env: service.env })
    expect(refused).toMatchObject({ status: 2, err: [expect.stringContaining('CLI_SECRET_EXPOSED')] })
    await chmod(secret, 0o644)
    const readable = await run(['relay', '--config', exposed.file, '--check'], { env: service.env })
    expect(readable.status).toBe(0)
    expect(readable.out.join('\n')).toMatch(/secret\.readable[\s\S]*relay\.checked/)
    expect([...refused.err, ...readable.out, ...readable.err].join()).not.toContain('not-shown')
  })

  test('the published schema of the configuration is current', async () => {
    const schema = JSON.parse(
      await readFile(new URL('../../schemas/relay.schema.json', import.meta.url), 'utf8'),
    )
    const validate = new Ajv({ strict: false }).compile(schema)
    const { file } = await configFile()
    expect(validate(JSON.parse(await readFile(file, 'utf8')))).toBe(true)
    expect(validate({ apps: [] })).toBe(false)
  })
})

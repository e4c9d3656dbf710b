/**
 * Commands with a proxy: HTTPS_PROXY, NO_PROXY, and a private CA in NODE_EXTRA_CA_CERTS. Only the proxy can resolve the
 * name of the service, so a connection without the proxy fails.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { createPrivateAuthority } from '@brokerwire/testing/private-authority'
import { startSquid, startTinyproxy } from '@brokerwire/testing/proxies'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMMAND } from '../test/command.ts'
import { SLOW, startRelay } from '../test/relay-process.ts'

const HOST = 'service.example'
const CREDENTIALS = { user: 'ali', password: 'opensesame' }
const USER_INFO = `${CREDENTIALS.user}:${CREDENTIALS.password}@`
const { skip, note } = needs('squid', 'tinyproxy', 'openssl')

/** Starts a service over TLS, and returns the settings with which a command reaches it through a proxy. */
async function startService() {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-cli-proxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const authority = createPrivateAuthority(HOST)
  const file = join(folder, 'authority.pem')
  writeFileSync(file, authority.ca)
  const simulator = await startSimulator({
    environment: 'sandbox',
    rateLimit: false,
    quotes: true,
    tls: { key: authority.key, cert: authority.cert },
  })
  onTestFinished(() => simulator.close())
  const named = (url: string | undefined): string => String(url).replace('127.0.0.1', HOST)
  const { appKey, appSecret } = simulator.credentials
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    NODE_EXTRA_CA_CERTS: file,
    BROKERWIRE_REGION: 'us',
    BROKERWIRE_ENVIRONMENT: 'sandbox',
    BROKERWIRE_APP_KEY: appKey,
    BROKERWIRE_APP_SECRET: appSecret.reveal(),
    BROKERWIRE_ACCOUNTS: simulator.accounts.join(),
    BROKERWIRE_BASE_URL: named(simulator.baseUrl),
    BROKERWIRE_EVENTS_URL: named(simulator.eventsUrl),
    BROKERWIRE_MODULE_EVENTS_URL: named(simulator.moduleEventsUrl),
    BROKERWIRE_MQTT_URL: named(simulator.quotes?.mqttUrl),
  }
  return { simulator, env }
}

interface Ended {
  readonly status: number
  readonly out: string
  readonly err: string
}

/** Runs a command as a process, because Node reads NODE_EXTRA_CA_CERTS when it starts. */
function brokerwire(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { env }, (error, out, err) => {
      expect(out + err).not.toContain(CREDENTIALS.password)
      resolve({ status: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

interface Line {
  readonly check: string
  readonly result: string
  readonly text: string
  readonly next?: string
}

async function doctor(env: Record<string, string>, ...args: readonly string[]) {
  const { out, err } = await brokerwire(['doctor', '--json', ...args], env)
  if (out === '') throw new Error(err)
  const lines = JSON.parse(out).findings as Line[]
  return Object.fromEntries(lines.map((line) => [line.check, line]))
}

describe.skipIf(skip)(`behind a proxy${note}`, REAL_SERVERS, () => {
  test('request, listen, quotes and doctor use it, with a user and a password', async () => {
    const { simulator, env } = await startService()
    const proxy = await startSquid({ hosts: { [HOST]: '127.0.0.1' }, credentials: CREDENTIALS })
    const through = { ...env, HTTPS_PROXY: proxy.url.replace('://', `://${USER_INFO}`) }

    const config = ['request', 'GET', '/openapi/config', '--no-token']
    expect(await brokerwire(config, through)).toMatchObject({ status: 0 })
    expect(await brokerwire(['token', 'create'], through)).toMatchObject({ status: 0 })
    const listening = brokerwire(['listen', 'trade', '--json', '--count', '1', '--timeout', '30s'], through)
    await expect.poll(() => simulator.subscriptions().length).toBe(1)
    simulator.emitOrder()
    expect(await listening).toMatchObject({ status: 0, err: '' })
    const quotes = ['listen', 'quotes', '--symbols', 'AAPL', '--count', '1', '--timeout', '30s']
    const watching = brokerwire(quotes, through)
    const sessions = () => simulator.quotes?.sessions() ?? []
    await expect.poll(() => sessions().flatMap((session) => session.symbols).length).toBe(1)
    simulator.quotes?.step(20)
    expect(await watching).toMatchObject({ status: 0, err: '' })

    const found = await doctor(through, '--streams')
    expect(Object.values(found).filter(({ result }) => result === 'failed')).toEqual([])
    expect(found['proxy requests']?.text).toBe(`connected to ${proxy.url} (HTTPS_PROXY)`)
    expect(found['CONNECT requests']?.text).toBe(
      `CONNECT ${new URL(String(env.BROKERWIRE_BASE_URL)).host} accepted`,
    )
    expect(found['TLS events, module events']?.text ?? found['TLS events']?.text).toMatch(/^TLSv1\.3, h2, /)
    expect(found.subscription).toMatchObject({ result: 'ok' })
    expect(found['DNS requests']).toBeUndefined()

    // Without the proxy the connection fails: the name cannot be resolved.
    expect(await brokerwire(config, env)).toMatchObject({ err: expect.stringMatching(/no connection \(E/) })
    expect(await brokerwire(config, { ...through, NO_PROXY: `.${HOST}` })).toMatchObject({
      err: expect.stringMatching(/no connection \(E/),
    })
    const direct = await doctor({ ...through, NO_PROXY: HOST })
    expect(direct['proxy requests']?.text).toBe(`none: ${HOST} is in NO_PROXY`)
  })

  test('relay uses it for the token and the streams, and logs the rejections of a proxy', async () => {
    const { simulator, env } = await startService()
    const file = join(String(env.HOME), 'relay.json')
    const config = {
      apps: [
        {
          name: 'team-a',
          region: 'us',
          environment: 'sandbox',
          appKey: { env: 'BROKERWIRE_APP_KEY' },
          appSecret: { env: 'BROKERWIRE_APP_SECRET' },
          accounts: simulator.accounts,
          subscriptions: ['trade'],
          eventsUrl: env.BROKERWIRE_EVENTS_URL,
          moduleEventsUrl: env.BROKERWIRE_MODULE_EVENTS_URL,
          baseUrl: env.BROKERWIRE_BASE_URL,
          createToken: true,
        },
      ],
      sink: { type: 'file', directory: join(String(env.HOME), 'events') },
      store: { type: 'file', directory: join(String(env.HOME), 'state') },
      health: { port: 0 },
      slotLingerMs: 0,
    }
    writeFileSync(file, JSON.stringify(config))
    const refusing = await startTinyproxy({ refuses: true })
    const refused = startRelay(['--config', file], { ...env, HTTPS_PROXY: refusing.url })
    await refused.said('token.failed')
    expect(refused.texts.join('\n')).toContain(
      `the proxy ${refusing.url} (HTTPS_PROXY) refused the connection`,
    )
    await refused.stop()

    const proxy = await startSquid({ hosts: { [HOST]: '127.0.0.1' }, credentials: CREDENTIALS })
    const through = { ...env, HTTPS_PROXY: proxy.url.replace('://', `://${USER_INFO}`) }
    const relay = startRelay(['--config', file], through)
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(1)
    expect(simulator.requests().some(({ path }) => path.endsWith('/create'))).toBe(true)
    await relay.stop()
    expect(relay.texts.join('\n')).not.toContain(CREDENTIALS.password)
  })

  test('a proxy that rejects is named in the errors of commands', async () => {
    const { env } = await startService()
    const proxy = await startTinyproxy({ refuses: true })
    const through = { ...env, https_proxy: proxy.url }
    const request = await brokerwire(['request', 'GET', '/openapi/config', '--no-token'], through)
    expect(request.status).not.toBe(0)
    expect(request.err).toContain(`the proxy ${proxy.url} (https_proxy) refused the connection to ${HOST}:`)
    expect(request.err).toContain('with status 403')
    const listen = await brokerwire(['listen', 'trade', '--max-attempts', '1'], through)
    expect(listen.err).toContain(`the proxy ${proxy.url} (https_proxy) refused the connection to ${HOST}:`)
    const found = await doctor(through)
    expect(found['CONNECT requests']).toMatchObject({
      result: 'failed',
      text: expect.stringContaining(`(https_proxy) refused the connection to ${HOST}:`),
      next: 'Ask who runs the proxy to allow this host and port, or connect without it',
    })
    expect(found['TLS requests']).toBeUndefined()
  })

  test('doctor reports a proxy that requires a password, cannot be reached, or never responds', async () => {
    const { env } = await startService()
    const asking = await startTinyproxy({ credentials: CREDENTIALS })
    expect((await doctor({ ...env, ALL_PROXY: asking.url }))['CONNECT requests']).toMatchObject({
      text: expect.stringContaining('(ALL_PROXY) refused'),
      next: 'It asks for a user and a password: put them into ALL_PROXY, as http://user:password@host:port',
    })
    const absent = await doctor({ ...env, HTTPS_PROXY: `http://${USER_INFO}127.0.0.1:1` })
    expect(absent['proxy requests']).toMatchObject({
      result: 'failed',
      text: 'http://127.0.0.1:1: ECONNREFUSED',
      next: expect.stringContaining('HTTPS_PROXY'),
    })
    const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const silent = await doctor({ ...env, HTTPS_PROXY: `http://127.0.0.1:${port}` }, '--timeout', '500ms')
    expect(silent['proxy requests']?.result).toBe('ok')
    expect(silent['CONNECT requests']?.result).toBe('failed')
  })
})

test('a variable with an invalid proxy is rejected without its value', async () => {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: '/nowhere',
    BROKERWIRE_REGION: 'us',
    BROKERWIRE_ENVIRONMENT: 'sandbox',
    BROKERWIRE_APP_KEY: 'key',
    BROKERWIRE_APP_SECRET: 'secret',
    HTTPS_PROXY: `socks5://${USER_INFO}127.0.0.1:1`,
  }
  const { status, err } = await brokerwire(['request', 'GET', '/openapi/config', '--no-token'], env)
  expect({ status, err }).toEqual({
    status: 2,
    err: expect.stringMatching(/^OPTION_INVALID: HTTPS_PROXY must be the address of an HTTP proxy/),
  })
})

/** `brokerwire doctor` against the simulator, with a working connection and with every kind of failure. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { createFileStore } from '@brokerwire/stores/file'
import { accessTokenStoreKey } from '@brokerwire/tokens'
import { describe, expect, test } from 'vitest'
import { COMMAND } from '../test/command.ts'
import { startService, temporaryStore } from '../test/service.ts'

const service = await startService('--environment', 'sandbox', '--scenario', 'none', '--rate-limit', 'off')
const secure = await startService('--tls', '--scenario', 'none', '--rate-limit', 'off')
const SECRET = service.env.BROKERWIRE_APP_SECRET ?? ''

/** Findings by name of the check. */
async function examine(env: Record<string, string> = {}, ...args: readonly string[]) {
  const { status, out, err } = await service.run(['doctor', '--json', ...args], { env })
  const { failed, findings } = JSON.parse(out.join())
  const results = Object.fromEntries(
    (findings as { check: string; result: string; text: string; next?: string }[]).map((one) => [
      one.check,
      one,
    ]),
  )
  return { status, failed, results, printed: [...out, ...err].join('\n') }
}

test('a healthy service passes all checks, with a note about the missing token and without secrets', async () => {
  const { status, out, err } = await service.run(['doctor', '--streams'])
  expect({ status, out: out.filter((line) => line.startsWith('failed')) }).toEqual({ status: 0, out: [] })
  expect(out.join('\n')).not.toContain(SECRET)
  expect(out.filter((line) => / ms$/.test(line)).length).toBe(15)
  expect(out.find((line) => line.includes(' token '))).toMatch(/^note .*none: `brokerwire token create`/)
  expect(out.find((line) => line.includes('TLS requests'))).toMatch(/^note .*clear text/)
  expect(out.find((line) => line.includes('subscription'))).toMatch(/^ok /)
  expect(err).toEqual([
    'subscribing once to the trade stream, which uses one of five slots for about a minute',
  ])
  expect(out.at(-1)).toMatch(/^15 of 15 checks passed, \d with a note$/)
}, 30_000)

describe('a failed check ends with status 1 and the next step for', () => {
  test('a wrong app secret', async () => {
    const { status, failed, results } = await examine({ BROKERWIRE_APP_SECRET: 'another secret' })
    expect({ status, failed }).toEqual({ status: 1, failed: 1 })
    expect(results.signature).toMatchObject({ result: 'failed', next: expect.stringContaining('app secret') })
  })

  test('a closed port, and a host name that cannot be resolved', async () => {
    const env = {
      BROKERWIRE_EVENTS_URL: 'http://127.0.0.1:1',
      BROKERWIRE_MODULE_EVENTS_URL: 'https://nobody.invalid',
    }
    const { status, results } = await examine(env)
    expect(status).toBe(1)
    expect(results['TCP events']).toMatchObject({ result: 'failed', text: 'port 1: ECONNREFUSED' })
    expect(results['DNS module events']).toMatchObject({
      result: 'failed',
      text: expect.stringMatching(/^nobody\.invalid: E/),
    })
    expect(results['TLS events']).toBeUndefined()
  })

  test('a host that does not respond, with the address and the reason in the line of the clock', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const { results } = await examine({ BROKERWIRE_BASE_URL: address })
      expect(results.clock?.text).toMatch(`no response from ${address}: `)
      expect(results.clock?.text).not.toContain('TypeError')
    } finally {
      server.close()
    }
  })

  test('a clear-text server behind an https URL', async () => {
    const url = (service.env.BROKERWIRE_EVENTS_URL ?? '').replace('http:', 'https:')
    const { results } = await examine({ BROKERWIRE_EVENTS_URL: url })
    expect(results['TLS events']).toMatchObject({ result: 'failed' })
  })

  test('a store that other users can read', async () => {
    const store = temporaryStore()
    await mkdir(store, { mode: 0o755 })
    const { status, results, printed } = await examine({ BROKERWIRE_STORE: store })
    expect({ status, token: results.token }).toMatchObject({
      status: 1,
      token: { result: 'failed', next: expect.stringContaining('chmod 700') },
    })
    expect(printed).not.toContain(SECRET)
  })

  test('a killed create request, with the time of the next one', async () => {
    const store = temporaryStore()
    const {
      BROKERWIRE_APP_KEY: appKey = '',
      BROKERWIRE_REGION: region = '',
      BROKERWIRE_BASE_URL: baseUrl = '',
    } = service.env
    const lastCreate = { atMs: Date.now(), outcome: 'started' }
    const key = accessTokenStoreKey({ environment: 'production', region, appKey, baseUrl })
    await createFileStore({ directory: store }).compareAndSet(
      key,
      undefined,
      JSON.stringify({ format: 1, lastCreate }),
    )
    const { results } = await examine({ BROKERWIRE_STORE: store, BROKERWIRE_ENVIRONMENT: 'production' })
    expect(results['token creates']).toMatchObject({
      result: 'note',
      text: expect.stringMatching(
        /^the next one is allowed in (?:4 min \d+ s|5 min) \(one in five minutes\)$/,
      ),
    })
    const empty = { BROKERWIRE_STORE: temporaryStore(), BROKERWIRE_ENVIRONMENT: 'production' }
    expect((await examine(empty)).results['token creates']).toMatchObject({ result: 'ok' })
  })

  test('a subscription without accounts', async () => {
    const { results } = await examine({ BROKERWIRE_ACCOUNTS: '' }, '--streams')
    expect(results.subscription).toMatchObject({ result: 'failed', text: 'no account' })
  })
})

test('Ctrl-C ends the doctor with status 130', async () => {
  const stop = new AbortController()
  const running = service.run(['doctor'], { signal: stop.signal })
  stop.abort('SIGINT')
  expect((await running).status).toBe(130)
})

test('a wrong clock is reported with its difference; over TLS the protocol of each host is checked', async () => {
  // Node reads NODE_EXTRA_CA_CERTS when it starts.
  const brokerwire = (...args: readonly string[]) =>
    spawnSync(process.execPath, [COMMAND, ...args], { env: secure.env, encoding: 'utf8' })
  expect(brokerwire('simulate', 'advance', '20m').status).toBe(0)
  const { status, stdout } = brokerwire('doctor', '--json')
  const findings: { check: string; result: string; text: string; next?: string }[] =
    JSON.parse(stdout).findings
  const named = (name: string) => findings.find(({ check }) => check === name)
  expect(status).toBe(1)
  expect(named('TLS events')).toMatchObject({ result: 'ok', text: expect.stringMatching(/^TLSv1\.3, h2, /) })
  expect(named('TLS requests')).toMatchObject({ result: 'ok', text: expect.stringMatching(/^TLSv1\.3, /) })
  expect(named('clock')).toMatchObject({
    result: 'failed',
    text: expect.stringMatching(/^1[12]\d\d\.\d s behind the service$/),
    next: expect.stringMatching(/^set this machine's clock/),
  })
  expect(findings.filter(({ result }) => result === 'failed').map(({ check }) => check)).toEqual(['clock'])
}, 60_000)

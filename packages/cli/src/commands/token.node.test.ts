/** `brokerwire token` against the simulator as a process, with a manual second factor. */
import { chmod, readdir, stat } from 'node:fs/promises'
import { createFileStore } from '@brokerwire/stores/file'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Run, runInBackground, SOON } from '../test/run.ts'
import { startService, temporaryStore } from '../test/service.ts'

const TOKEN = /^[\da-f]{32}$/
const production = await startService(
  '--second-factor',
  'manual',
  '--scenario',
  'none',
  '--rate-limit',
  'off',
)
const sandbox = await startService('--environment', 'sandbox', '--scenario', 'none', '--rate-limit', 'off')
const later = await startService('--environment', 'sandbox', '--scenario', 'none', '--rate-limit', 'off')
const approve = () => production.control.approve()

/**
 * An address of the sandbox that the test can close. Tokens that were created through this address belong to
 * it.
 */
async function closableAddress() {
  const proxy = await startTcpProxy(sandbox.env.BROKERWIRE_BASE_URL ?? '')
  onTestFinished(() => proxy.close())
  const env = { BROKERWIRE_STORE: temporaryStore(), BROKERWIRE_BASE_URL: `http://127.0.0.1:${proxy.port}` }
  return { env, close: () => proxy.close() }
}

/** Runs several commands with one store. */
function over(service: typeof production) {
  const env = { BROKERWIRE_STORE: temporaryStore() }
  return { env, run: (line: string) => service.run(line.split(' '), { env }) }
}

/** Creates a usable token. Pending tokens of other tests have no effect. */
async function createApproved(run: (line: string) => Promise<Run>): Promise<void> {
  expect((await run('token create')).status).toBe(75)
  await approve()
  expect((await run('token wait --poll-interval 300ms')).status).toBe(0)
}

describe('in production', () => {
  test('the commands create a token, wait for it, check it, renew it and forget it', async () => {
    const { run } = over(production)
    expect(await run('token status')).toMatchObject({
      status: 77,
      out: [expect.stringContaining('token: none')],
    })
    const created = await run('token create')
    expect(created.status).toBe(75)
    expect(created.out.join()).toMatch(/^token: pending: you must enter a code in the app within \d/)
    // A second create request creates no second token.
    expect((await run('token create')).status).toBe(75)
    expect((await run('token check')).status).toBe(75)
    const waiting = run('token wait --poll-interval 300ms')
    await approve()
    const waited = await waiting
    expect({ status: waited.status, outLines: waited.out.length }).toEqual({ status: 0, outLines: 1 })
    expect(waited.out.join()).toMatch(/^token: usable until 20.* UTC, 14 d 23 h from now$/)
    expect(waited.err).toEqual([expect.stringMatching(/^token: pending: you must enter a code/)])
    for (const command of ['status', 'check', 'create', 'wait'])
      expect((await run(`token ${command}`)).out).toEqual([expect.stringMatching(/^token: usable until/)])
    expect(await run('token forget --yes')).toMatchObject({ status: 0, out: ['token: forgotten'] })
    expect((await run('token status')).status).toBe(77)
    expect((await run('token forget --yes')).out.join()).toContain('token: none in')
  })

  test('a renewal leaves the usable token in use until the new one is approved', async () => {
    const { run } = over(production)
    await createApproved(run)
    const reveal = async () => JSON.parse((await run('token status --json --reveal')).out.join()).token
    const before = await reveal()
    // The service allows one create request in five minutes.
    const renewed = await run('token renew')
    expect({ status: renewed.status, err: renewed.err }).toEqual({
      status: 75,
      err: [
        expect.stringMatching(
          /^TOKEN_CREATE_TOO_SOON: the service responded to a create request \d+ s ago; the next one is allowed in (?:4 min \d+ s|5 min)$/,
        ),
      ],
    })
    expect(await reveal()).toBe(before)
  })

  test('a second factor starts only on request', async () => {
    const { run } = over(production)
    const requests = async () =>
      ((await production.control.state()) as { readonly requests: number }).requests
    const before = await requests()
    for (const command of ['wait', 'check']) {
      const { status, err } = await run(`token ${command}`)
      expect({ status, err }).toEqual({
        status: 77,
        err: [expect.stringMatching(/^CLI_TOKEN_MISSING: .*: run `brokerwire token create --wait`$/)],
      })
    }
    expect(await requests()).toBe(before)
    await approve()
    const waiting = run('token wait --create --poll-interval 300ms')
    await expect.poll(approve, SOON).toBe(1)
    expect((await waiting).status).toBe(0)
  })

  test('a wait ends with status 75 after its timeout, and with 130 after Ctrl-C', async () => {
    const { run, env } = over(production)
    await run('token create')
    const { status, err } = await run('token wait --poll-interval 20ms --timeout 100ms')
    expect({ status, lastErr: err.at(-1) }).toEqual({
      status: 75,
      lastErr: expect.stringContaining('TOKEN_POLL_TIMEOUT'),
    })
    const stop = new AbortController()
    const waiting = production.run(['token', 'wait'], { env, signal: stop.signal })
    stop.abort('SIGINT')
    expect(await waiting).toMatchObject({ status: 130, out: [] })
  })

  test('the token is printed only with --reveal, and its files are accessible only to their owner', async () => {
    const { run, env } = over(production)
    await createApproved(run)
    const token: string = JSON.parse((await run('token status --json --reveal')).out.join()).token
    expect(token).toMatch(TOKEN)
    for (const command of ['status', 'status --json', 'check', 'wait --json']) {
      const { out, err } = await run(`token ${command}`)
      expect([...out, ...err].join('\n')).not.toContain(token)
    }
    expect((await run('token status --reveal')).out.at(-1)).toBe(token)
    const json = JSON.parse((await run('token status --json --reveal')).out.join())
    expect(json).toMatchObject({
      state: 'normal',
      usable: true,
      environment: 'production',
      region: 'us',
      store: env.BROKERWIRE_STORE,
      token,
    })
    expect((await stat(env.BROKERWIRE_STORE)).mode & 0o777).toBe(0o700)
    expect(await readdir(env.BROKERWIRE_STORE)).not.toEqual([])
  })
})

describe('in the sandbox', () => {
  test('a token needs no second factor', async () => {
    const { run } = over(sandbox)
    expect((await run('token create')).out.join()).toMatch(/^token: usable until/)
    expect((await run('token renew --wait')).status).toBe(0)
  })
})

describe('errors', () => {
  test('rejected credentials end with status 77', async () => {
    const env = { BROKERWIRE_APP_SECRET: 'another secret' }
    const { status, err } = await sandbox.run(['token', 'create'], { env })
    expect({ status, err }).toEqual({
      status: 77,
      err: [
        expect.stringMatching(
          /^TOKEN_CALL_FAILED: creating an access token failed: POST \/auth\/tokens\/create: status 401, /,
        ),
      ],
    })
  })

  test('a service that cannot be reached ends with status 75', async () => {
    const { env, close } = await closableAddress()
    expect((await sandbox.run(['token', 'create'], { env })).status).toBe(0)
    await close()
    for (const command of ['check', 'renew']) {
      const { status, err } = await sandbox.run(['token', command], { env })
      expect({ status, errLines: err.length }).toEqual({ status: 75, errLines: 1 })
    }
  })

  test('every command that calls an unreachable service reports its address and the reason', async () => {
    const { env, close } = await closableAddress()
    await sandbox.run(['token', 'create'], { env })
    await close()
    const { BROKERWIRE_BASE_URL } = env
    const line = `CLI_UNREACHABLE: ${BROKERWIRE_BASE_URL}: no connection (ECONNREFUSED). Run \`brokerwire doctor\` to find the cause`
    const commands = ['token check', 'token renew', 'client-token create anna', 'request GET /a']
    for (const command of [...commands, 'request GET /a --no-token', 'token create']) {
      const store = command === 'token create' ? temporaryStore() : env.BROKERWIRE_STORE
      const more = { BROKERWIRE_BASE_URL, BROKERWIRE_STORE: store }
      const { status, err } = await sandbox.run(command.split(' '), { env: more })
      expect({ command, status, err }).toEqual({ command, status: 75, err: [line] })
    }
  })

  test('a token is only used with the address that issued it', async () => {
    const { run, env } = over(sandbox)
    await run('token create')
    const received: unknown[] = []
    const other = await startHttpServer((request, response) => {
      received.push(request.headers['x-access-token'])
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error_code":"INVALID_TOKEN"}')
    })
    onTestFinished(() => other.close())
    for (const command of ['request GET /anything', 'token check', 'token renew'])
      await sandbox.run([...command.split(' '), '--base-url', other.url], { env })
    expect(received.filter((token) => token !== undefined)).toEqual([])
    expect((await run('token check')).status).toBe(0)
  })

  test('doctor reports a token of an earlier version and does not change it', async () => {
    const { env } = over(sandbox)
    const files = createFileStore({ directory: env.BROKERWIRE_STORE })
    const oldKey = `access-token/sandbox/us/${sandbox.env.BROKERWIRE_APP_KEY}`
    await files.compareAndSet(oldKey, undefined, '{"version":1}')
    const { findings } = JSON.parse((await sandbox.run(['doctor', '--json'], { env })).out.join())
    expect(findings.find((one: { check: string }) => one.check === 'token').text).toContain(
      'a token of an earlier version is ignored',
    )
    expect(await files.get(oldKey)).toBe('{"version":1}')
  })

  test('token check reports the clocks after simulate advance, and the expired token with a larger --max-clock-offset', async () => {
    const { run } = over(later)
    await run('token create')
    await later.control.advance(16 * 86_400_000)
    for (const command of ['token check', 'token renew', 'request GET /openapi/config --no-token']) {
      const { status, err } = await run(command)
      expect({ status, err }).toEqual({
        status: 1,
        err: [expect.stringContaining("the service's clock must be within")],
      })
      expect(err.join()).toMatch(/--max-clock-offset 1[67]d$/)
    }
    expect(await run('token check --max-clock-offset 17d')).toMatchObject({
      status: 77,
      out: [expect.stringMatching(/^token: ended \((?:invalid|expired)\): `brokerwire token create`/)],
    })
    const doctor = (more: readonly string[]) => later.run(['doctor', '--json', ...more])
    const findings = async (...more: readonly string[]) => {
      const { findings: list } = JSON.parse((await doctor(more)).out.join())
      return Object.fromEntries(list.map((one: { check: string }) => [one.check, one]))
    }
    expect(await findings()).toMatchObject({
      clock: { result: 'failed', next: expect.stringMatching(/--max-clock-offset 1[67]d$/) },
    })
    expect(await findings('--max-clock-offset', '17d')).toMatchObject({
      clock: { result: 'note' },
      signature: { result: 'ok' },
    })
  }, 60_000)

  test('a store that other users can read is rejected with its path', async () => {
    const { run, env } = over(sandbox)
    await run('token create')
    await chmod(env.BROKERWIRE_STORE, 0o755)
    const { status, err } = await run('token status')
    expect({ status, err: err.join() }).toEqual({
      status: 2,
      err: expect.stringContaining(`STORE_INSECURE_PERMISSIONS: ${env.BROKERWIRE_STORE}`),
    })
  })

  test.each([
    [['token', 'forget'], '--yes'],
    [['token', 'wait', '--timeout', '5'], '--timeout must be a duration'],
    [['token', 'creat'], 'Did you mean "create"?'],
    [['token', 'status', '--reveel'], 'Did you mean "--reveal"?'],
  ])('%j is wrong usage', async (args, message) => {
    const { run, env } = over(sandbox)
    if (args[1] === 'forget') await run('token create')
    const { status, err } = await sandbox.run(args, { env })
    expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(message) })
  })

  test('without a home directory the store must be set', async () => {
    for (const HOME of ['', 'relative']) {
      const { status, err } = await sandbox.run(['token', 'status'], { env: { HOME, BROKERWIRE_STORE: '' } })
      expect({ status, err: err.join() }).toEqual({
        status: 2,
        err: expect.stringMatching(/ --store \(.*\) must be set, because HOME /),
      })
    }
  })

  test('a call that waits for the rate limit reports it', async () => {
    const { run, env } = over(sandbox)
    await run('token create')
    for (let calls = 1; calls < 10; calls += 1) expect((await run('token check')).status).toBe(0)
    const stop = new AbortController()
    const { err, done } = runInBackground(['token', 'check'], {
      env: { ...sandbox.env, ...env },
      signal: stop.signal,
    })
    await expect
      .poll(() => err, SOON)
      .toEqual([expect.stringMatching(/^waiting \d+ s or more: the service allows 10 calls/)])
    stop.abort('SIGINT')
    expect((await done).status).toBe(130)
  })
})

/** `brokerwire simulate`: every option by flag or by file, and errors with line and column. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mergeOptions } from '../simulate/merge-options.ts'
import { getFlag, SIMULATE_OPTIONS } from '../simulate/options.ts'
import { CONFIG_NAMES, simulateSchema } from '../simulate/schema.ts'
import { COMMAND } from '../test/command.ts'
import { environmentOf } from '../test/environment.ts'
import { run, runInBackground, SOON } from '../test/run.ts'
import { temporaryFile, temporaryFolder } from '../test/temporary.ts'

/** The first lines of a simulator that is stopped with the test. */
async function firstLines(
  args: readonly string[],
  count: number,
): Promise<{ lines: string[]; stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<unknown> }> {
  const child = spawn(process.execPath, [COMMAND, 'simulate', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (lines.length === count) break
  }
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<unknown> => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return ended
  }
  return { lines, stop }
}

describe('options', () => {
  test('every option of the library except the clock, the OpenAPI document and the metrics can be set', async () => {
    const source = await readFile(new URL('../../../simulator/src/options.ts', import.meta.url), 'utf8')
    const [, declared = ''] = /interface SimulatorOptions \{([\s\S]*?)\n\}/.exec(source) ?? []
    const names = [...declared.matchAll(/readonly (\w+)\?:/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(45)
    const others = ['clock', 'openApi', 'metrics']
    expect([...CONFIG_NAMES].sort()).toEqual(names.filter((name) => !others.includes(name)).sort())
  })

  test('flags override the file, and the file overrides the defaults of simulate', () => {
    const values = { scenario: 'lifecycles', tokenValidityMs: 5, region: 'hk', emitPlaceEvents: false }
    const flags = {
      tokenValidity: '2m',
      control: true,
      emitPlaceEvents: true,
      accounts: 'a, b',
      rateLimit: '3/5s',
    }
    expect(mergeOptions(values, flags)).toEqual({
      scenario: 'lifecycles',
      scenarioIntervalMs: 1000,
      tokenValidityMs: 120_000,
      region: 'hk',
      emitPlaceEvents: false,
      control: true,
      secondFactor: 'automatic',
      accounts: ['a', 'b'],
      rateLimit: { requests: 3, windowMs: 5000 },
    })
    // With the console the second factor is manual, unless another value is set.
    expect(mergeOptions({}, { console: true })).toMatchObject({ console: true, secondFactor: 'manual' })
    expect(mergeOptions({ console: true }, { secondFactor: 'automatic' })).toMatchObject({
      secondFactor: 'automatic',
    })
    expect(mergeOptions({}, { scenario: 'none', rateLimit: 'off', control: false })).toMatchObject({
      rateLimit: false,
      control: false,
    })
  })

  test('no two options share a flag', () => {
    const flags = SIMULATE_OPTIONS.map(getFlag)
    expect(new Set(flags).size).toBe(flags.length)
  })

  test('the published schema is current, and accepts what the library accepts', async () => {
    const file = new URL('../../schemas/simulate.schema.json', import.meta.url)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(simulateSchema())
    const validate = new Ajv2020({ strict: false }).compile(simulateSchema())
    expect(validate({ seed: 7, rateLimit: false, scenario: [{ afterMs: 1, type: 'drop' }] })).toBe(true)
    expect(validate({ sede: 7 })).toBe(false)
    // Every type of step, and steps without a pause before them. An earlier schema rejected these, although
    // the library accepts them.
    const steps = [{ type: 'fault', clear: true }, { type: 'time', advanceMs: 1 }, { type: 'drop' }]
    expect(validate({ scenario: steps })).toBe(true)
    expect(validate({ scenario: [{ type: 'drop', afterMS: 1 }] })).toBe(false)
    expect(validate({ moduleEventsPort: 'none' })).toBe(false)
  })
})

describe('a file', () => {
  test('sets options of the service; --json prints one object', async () => {
    const config = {
      $schema: 'simulate.schema.json',
      environment: 'sandbox',
      appKey: 'k',
      accounts: ['ACC1'],
      scenario: 'none',
    }
    const file = await temporaryFile('service.json', JSON.stringify(config))
    const { lines, stop } = await firstLines(['--config', file, '--json', '--region', 'hk'], 1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      environment: 'sandbox',
      region: 'hk',
      appKey: 'k',
      accounts: ['ACC1'],
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      controlUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      controlToken: expect.stringMatching(/^[\w-]{32}$/),
      apps: [{ name: 'app-1', appKey: 'k' }],
    })
    const { controlUrl, controlToken } = JSON.parse(lines[0] ?? '')
    const env = { BROKERWIRE_CONTROL_URL: controlUrl, BROKERWIRE_CONTROL_TOKEN: controlToken }
    expect((await run(['simulate', 'state'], { env })).status).toBe(0)
    expect(await stop()).toEqual([0, null])
  })

  test('with control characters in an account is printed as JSON with escapes', async () => {
    const accounts = ['A\u001b[2J\u202e']
    const file = await temporaryFile('service.json', JSON.stringify({ accounts, scenario: 'none' }))
    const { lines, stop } = await firstLines(['--config', file, '--json'], 1)
    expect(lines[0]).toContain(String.raw`A\u001b[2J\u202e`)
    expect(JSON.parse(lines[0] ?? '').accounts).toEqual(accounts)
    expect(await stop()).toEqual([0, null])
  })

  test.each([
    ['{\n  "seed": 1,\n  "sede": 2\n}', ':3:3: unknown option sede. Did you mean "seed"?'],
    [
      '{"nope":1}',
      ':1:2: unknown option nope (schemas/simulate.schema.json in this package lists all names)',
    ],
    ['{\n  "seed": "x"\n}', ':2:11: seed must be'],
    ['{ "rateLimit": { "requests": 0 } }', ':1:30: rateLimit.requests must be'],
    ['{ "accounts": [1] }', ':1:16: accounts[0] must be'],
    ['{\n  "seed": 1,,\n}', ':2:13: must be JSON: '],
    ['[]', ':1:1: must be a JSON object'],
    ['', ':1:1: must be JSON: '],
    ['{ "seed": 1 // why\n}', ':1:13: must be JSON: '],
  ])('that contains %j is rejected with its position', async (text, message) => {
    const file = await temporaryFile('service.json', text)
    const { status, err } = await run(['simulate', '--config', file])
    expect({ status, err }).toEqual({
      status: 2,
      err: [expect.stringContaining(`CLI_CONFIG_INVALID: ${file}${message}`)],
    })
  })

  test.skipIf(process.platform === 'win32')(
    'with a private key must be accessible only to its owner',
    async () => {
      const tls = createSelfSignedCertificate()
      const moduleHistory = Array.from(
        { length: 1000 },
        () => 'a text that makes the file long, as a history is',
      )
      for (const config of [{ tls }, { tls, moduleHistory }, { apps: [{ appSecret: 's' }] }]) {
        const file = await temporaryFile('service.json', JSON.stringify(config))
        await chmod(file, 0o640)
        const { status, out, err } = await run(['simulate', '--config', file])
        const message = expect.stringMatching(
          /^CLI_SECRET_EXPOSED: .*service.json holds a secret and must be accessible to its owner only/,
        )
        expect({ status, out, err }).toEqual({ status: 2, out: [], err: [message] })
      }
      const pair = { key: 'x', cert: 'y' }
      const file = await temporaryFile('service.json', JSON.stringify({ tls: pair }))
      const { status, err } = await run(['simulate', '--config', file])
      const message = expect.stringMatching(
        /^CLI_CONFIG_INVALID: .*service.json:1:\d+: tls must be a key and its certificate/,
      )
      expect({ status, err }).toEqual({ status: 2, err: [message] })
    },
  )

  test('a flag that the library rejects is not reported as an error of the file', async () => {
    const file = await temporaryFile('service.json', '{ "seed": 1 }')
    const { status, err } = await run(['simulate', '--config', file, '--accounts', ','])
    expect({ status, err }).toEqual({
      status: 2,
      err: ['CLI_OPTION_INVALID: --accounts must be names separated by commas; received none'],
    })
  })
})

test.each([
  [['--rate-limit', 'many'], 'such as 10/30s, or off'],
  [['--token-validity', '15'], '--token-validity must be a duration'],
  [['--module-events-port', '99999'], '--module-events-port'],
  [['--tls-cert', 'x.pem'], '--tls-cert must be given together with --tls-key'],
])('rejects %j', async (args, message) => {
  const { status, err } = await run(['simulate', ...args])
  expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(message) })
})

test('--tls serves over TLS with a certificate that the printed lines make Node trust, and removes it', async () => {
  const { lines, stop } = await firstLines(['--tls', '--scenario', 'none'], 10)
  const certificate = lines.join('\n').match(/^export NODE_EXTRA_CA_CERTS=(.+)$/m)?.[1] ?? ''
  const env = environmentOf(lines)
  expect(env.BROKERWIRE_BASE_URL).toMatch(/^https:/)
  expect(await readFile(certificate, 'utf8')).toContain('BEGIN CERTIFICATE')
  const child = spawn(
    process.execPath,
    ['-e', `fetch('${env.BROKERWIRE_BASE_URL}/healthz').then((answer) => console.log(answer.status))`],
    {
      env: { NODE_EXTRA_CA_CERTS: certificate },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  expect(String(await once(child.stdout, 'data'))).toBe('200\n')
  expect(await stop()).toEqual([0, null])
  expect(existsSync(certificate)).toBe(false)
})

test.runIf(existsSync('/proc/self'))(
  '--tls reports a directory in which the certificate cannot be written',
  async () => {
    vi.stubEnv('TMPDIR', '/proc')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const { status, out, err } = await run(['simulate', '--tls', '--scenario', 'none'])
    const message = /^CLI_INPUT_UNREADABLE: \/proc must be a directory that the certificate can be written to/
    expect({ status, out, err }).toEqual({ status: 2, out: [], err: [expect.stringMatching(message)] })
  },
)

test('--scenario accepts a file with steps, and reports the position of errors', async () => {
  const route = {
    type: 'route',
    method: 'GET',
    path: '/hours',
    response: { status: 200, json: {} },
    token: 'none',
  }
  const steps = [
    { type: 'order', order: 'one', scene: 'FINAL_FILLED' },
    route,
    { type: 'module', module: 'journal' },
  ]
  const file = await temporaryFile('morning.json', JSON.stringify({ steps }))
  const { lines, stop } = await firstLines(['--scenario', file], 11)
  const env = environmentOf(lines)
  await expect
    .poll(async () => JSON.parse((await run(['simulate', 'state'], { env })).out.join('')), {
      timeout: 15_000,
    })
    .toMatchObject({ tradeEvents: 1, moduleEvents: 1, scenarioRunning: false })
  await stop()
  const broken = await temporaryFile(
    'morning.json',
    '{"steps":[\n{"type":"order","order":"one","scene":"FILED"}]}',
  )
  const wrong = await run(['simulate', '--scenario', broken])
  expect({ status: wrong.status, err: wrong.err.join() }).toEqual({
    status: 2,
    err: expect.stringMatching(
      /^SIMULATOR_SCENARIO_INVALID: .*morning\.json:2:39: steps\[0\]\.scene must .*received "FILED"/,
    ),
  })
  const named = await run(['simulate', '--scenario', 'lifecycle'])
  expect({ status: named.status, err: named.err.join() }).toEqual({
    status: 2,
    err: expect.stringContaining('none, lifecycles, lifecycles-forever, or a JSON file'),
  })
})

test('--state preserves state after a kill', async () => {
  const state = join(await temporaryFolder(), 'state.jsonl')
  const flags = ['--state', state, '--scenario', 'none']
  const emitted = async (count: number) => {
    const { lines, stop } = await firstLines(flags, 11)
    const env = environmentOf(lines)
    for (let index = 0; index < count; index += 1) await run(['simulate', 'emit', 'order'], { env })
    const { out } = await run(['simulate', 'state'], { env })
    return { env, stop, ...(JSON.parse(out.join('')) as { tradeEvents: number }) }
  }
  const first = await emitted(2)
  expect({ tradeEvents: first.tradeEvents, mode: (await stat(state)).mode & 0o777 }).toEqual({
    tradeEvents: 2,
    mode: 0o600,
  })
  await first.stop('SIGKILL')
  const second = await emitted(1)
  expect({ tradeEvents: second.tradeEvents, BROKERWIRE_APP_KEY: second.env.BROKERWIRE_APP_KEY }).toEqual({
    tradeEvents: 3,
    BROKERWIRE_APP_KEY: first.env.BROKERWIRE_APP_KEY,
  })
  await second.stop()
})

test('--console prints the address of a page, with the key that opens it', async () => {
  const stop = new AbortController()
  const { out, done } = runInBackground(['simulate', '--console', '--scenario', 'none'], {
    signal: stop.signal,
  })
  await expect.poll(() => out.join('\n')).toMatch(/^# Console: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}$/m)
  const [, origin = '', token = ''] = /^# Console: (.*)\/#token=(.*)$/m.exec(out.join('\n')) ?? []
  const session = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  expect(session.status).toBe(200)
  stop.abort()
  expect((await done).status).toBe(0)
})

test('--console keeps its address across restarts without --state: the key is in the state directory of the user', async () => {
  const env = { XDG_STATE_HOME: await temporaryFolder() }
  const addressOfRun = async (args: readonly string[] = []): Promise<string> => {
    const stop = new AbortController()
    const { out, done } = runInBackground(['simulate', '--console', '--scenario', 'none', ...args], {
      env,
      signal: stop.signal,
    })
    await expect.poll(() => out.join('\n'), SOON).toContain('# Console: ')
    stop.abort()
    await done
    return out.find((line) => line.startsWith('# Console: ')) ?? ''
  }
  const first = await addressOfRun()
  expect(await addressOfRun()).toBe(first)
  expect((await stat(join(env.XDG_STATE_HOME, 'brokerwire/console.json'))).mode & 0o777).toBe(0o600)
  expect(await addressOfRun(['--state', join(await temporaryFolder(), 'state.jsonl')])).not.toBe(first)
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { startSimulator } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serviceLines } from '../render/service-lines.ts'
import { SETTINGS } from '../settings/settings.ts'
import { COMMAND } from '../test/command.ts'
import { environmentOf } from '../test/environment.ts'
import { run, SOON } from '../test/run.ts'

async function startService() {
  const simulator = await startSimulator({ scenario: 'lifecycles-forever', scenarioIntervalMs: 5 })
  onTestFinished(() => simulator.close())
  return { simulator, env: environmentOf(serviceLines(simulator)) }
}

function start(args: readonly string[]): {
  readonly child: ChildProcess
  readonly lines: AsyncIterableIterator<string>
} {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

describe('brokerwire simulate', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('serves until %s, then ends with status 0', async (signal) => {
    const { child, lines } = start(['simulate', '--seed', '7'])
    const printed: string[] = []
    for await (const line of { [Symbol.asyncIterator]: () => lines }) {
      printed.push(line)
      if (line.startsWith(`export ${SETTINGS.accounts.variable}=`)) break
    }
    const url = environmentOf(printed)[SETTINGS.baseUrl.variable]
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test.each([
    [['--http-port', '70000'], 'http-port'],
    [['--environment', 'live'], 'environment'],
    [['--interval', '0'], 'interval'],
    [['--service-profile', 'all'], 'service-profile'],
    [['--enviroment', 'sandbox'], 'unknown option "--enviroment". Did you mean "--environment"?'],
  ])('rejects %j', async (flags, name) => {
    const { status, err } = await run(['simulate', ...flags])
    expect(status).toBe(2)
    expect(err.join('\n')).toContain(name)
  })
})

describe('brokerwire listen', () => {
  test('prints events of the trade stream as lines', async () => {
    const { env } = await startService()
    const { status, out } = await run(['listen', 'trade', '--count', '5'], { env })
    expect(status).toBe(0)
    expect(out[0]).toContain('trade stream: subscribed')
    expect(out.filter((line) => / order /.test(line))).toHaveLength(5)
  })

  test('prefers --accounts to the variable', async () => {
    const { simulator, env } = await startService()
    const [first = '', second = ''] = simulator.accounts
    const { out } = await run(['listen', 'trade', '--accounts', first, '--count', '8', '--json'], { env })
    expect(out.join('\n')).toContain(first)
    expect(out.join('\n')).not.toContain(second)
  })

  test('prints events of all known modules, and of the given event types', async () => {
    const { env } = await startService()
    const { out } = await run(['listen', 'module', '--count', '12'], { env })
    expect(new Set(out.flatMap((line) => /module +(\S+) /.exec(line)?.[1] ?? [])).size).toBeGreaterThan(6)
    const sod = await run(['listen', 'module', '--modules', 'SOD', '--count', '1'], { env })
    expect(sod.out.at(-1)).toContain('sod')
  })

  test.each(['FUNDING', 'Funding', 'funding'])('accepts %s as the name of a module', async (name) => {
    const { env } = await startService()
    const args = ['listen', 'module', '--modules', name, '--count', '12', '--json']
    const { status, out, err } = await run(args, { env })
    expect({ status, err }).toEqual({ status: 0, err: [] })
    const types = out.map((line) => JSON.parse(line)).filter(({ type }) => type === 'event')
    const bizTypes = types.map(({ payload }) => JSON.parse(payload).payload.biz_type)
    // Fees have the same event type but belong to another module.
    expect(new Set(bizTypes)).toEqual(new Set(['TRANSFER', 'INSTANT_FUNDING']))
  })

  test('warns about an unknown module name, and uses it as an event type', async () => {
    const { simulator, env } = await startService()
    const stop = new AbortController()
    const args = ['listen', 'module', '--modules', 'bogus, SOD,Master_Data,POSITION']
    const running = run(args, { env, signal: stop.signal })
    await expect.poll(() => simulator.subscriptions().length, SOON).toBe(1)
    const eventTypes = ['MASTER_DATA', 'bogus', 'SOD', 'POSITION']
    expect(simulator.subscriptions()).toMatchObject([
      { requested: { events: eventTypes.map((eventType) => ({ eventType })) } },
    ])
    stop.abort()
    const { status, err } = await running
    expect(status).toBe(0)
    expect(err).toEqual([
      expect.stringMatching(
        /^bogus is not a known module and is used as an event type; known modules are application, .*, event-contract$/,
      ),
      'SOD: the event type of this module is not published; listening for the event type SOD',
    ])
  })

  test('prints JSON, the payload as it was received', async () => {
    const { env } = await startService()
    const { out } = await run(['listen', 'module', '--modules', 'journal', '--count', '1', '--json'], { env })
    const event = JSON.parse(out.at(-1) ?? '')
    expect(event).toMatchObject({ stream: 'module', type: 'event', frame: { eventType: 'JOURNAL' } })
    expect(JSON.parse(event.payload).payload.amount).toBeTypeOf('string')
  })

  test('accepts clear text beyond this machine only with --allow-insecure', async () => {
    const { env } = await startService()
    const args = ['listen', 'module', '--count', '1', '--base-url', 'http://elsewhere.invalid']
    expect((await run(args, { env })).status).toBe(2)
    expect(await run([...args, '--allow-insecure'], { env })).toMatchObject({ status: 0, err: [] })
  })

  test('rejected credentials end with status 77', async () => {
    const { simulator, env } = await startService()
    const args = ['listen', 'trade', '--accounts', simulator.accounts.join()]
    const { status, err } = await run(args, { env: { ...env, BROKERWIRE_APP_SECRET: 'another secret' } })
    expect({ status, err }).toEqual({ status: 77, err: [expect.stringMatching(/^STREAM_AUTH_REJECTED: /)] })
  })

  test('ends with status 2 in a region without a known module stream', async () => {
    const { env } = await startService()
    const sandbox = { ...env, BROKERWIRE_ENVIRONMENT: 'sandbox', BROKERWIRE_MODULE_EVENTS_URL: undefined }
    const { status, err } = await run(['listen', 'module'], { env: sandbox })
    expect({ status, err }).toEqual({ status: 2, err: [expect.stringMatching(/^ENDPOINT_UNKNOWN: /)] })
  })

  test('ends with status 0 when it is stopped', async () => {
    const { simulator, env } = await startService()
    const stop = new AbortController()
    const running = run(['listen', 'position', '--accounts', simulator.accounts.join()], {
      env,
      signal: stop.signal,
    })
    const subscribed = (): boolean => simulator.subscriptions().length === 1
    await expect.poll(subscribed, SOON).toBe(true)
    stop.abort()
    expect((await running).status).toBe(0)
    await expect.poll(() => simulator.subscriptions().length, SOON).toBe(0)
  })

  test.each([
    [['listen', 'trade'], { BROKERWIRE_ACCOUNTS: '' }, '--accounts'],
    [['listen', 'weather'], {}, 'weather'],
    [['listen', 'module', '--count', 'many'], {}, '--count'],
    [['listen', 'module'], { BROKERWIRE_REGION: '' }, '--region'],
    [['listen', 'module'], { BROKERWIRE_ENVIRONMENT: 'live' }, 'BROKERWIRE_ENVIRONMENT must be'],
    [
      ['listen', 'module'],
      { BROKERWIRE_MODULE_EVENTS_URL: 'http://example.com' },
      'CLI_OPTION_INVALID: BROKERWIRE_MODULE_EVENTS_URL must be an https: origin',
    ],
    [
      ['listen', 'module', '--base-url', 'http://evil.example'],
      {},
      'CLI_OPTION_INVALID: --base-url must be an https: origin',
    ],
    [['listen', 'module', '--base-url', 'http://evil.example'], {}, 'with --allow-insecure'],
    [['listen', 'module', '--events-url', 'https://h\\evil'], {}, '--events-url'],
    [['listen', 'module', '--events-url', 'https://h\tevil'], {}, '--events-url'],
    [['listen', 'module', '--module-events-url', 'https://h/path'], {}, '--module-events-url'],
    [['listen', 'module'], { BROKERWIRE_BASE_URL: 'https://user@h' }, 'BROKERWIRE_BASE_URL'],
    [['listen', 'module'], { BROKERWIRE_EVENTS_URL: 'http://0.0.0.0:80' }, 'BROKERWIRE_EVENTS_URL'],
    [['listen', 'module', '--modules', ','], {}, '--modules must be'],
    [['listen', 'module'], { BROKERWIRE_APP_KEY: 'a b' }, 'OPTION_INVALID'],
  ])('rejects %j with %j', async (args, change, name) => {
    const { env } = await startService()
    const { status, err } = await run(args, { env: { ...env, ...change } })
    expect(status).toBe(2)
    expect(err.join('\n')).toContain(name)
    expect(err.join('\n')).not.toContain(env.BROKERWIRE_APP_SECRET)
  })
})

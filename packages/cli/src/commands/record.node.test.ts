/**
 * `brokerwire record` and `brokerwire replay`: a replayed recording equals the original, without secrets and
 * ids.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createBrokerage } from '@brokerwire/client'
import { readRecording, type Simulator, startSimulator } from '@brokerwire/simulator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serviceLines } from '../render/service-lines.ts'
import { environmentOf } from '../test/environment.ts'
import { run, runInBackground } from '../test/run.ts'
import { temporaryFile, temporaryFolder } from '../test/temporary.ts'

const EVENT_TYPES = 10

async function service(): Promise<{ simulator: Simulator; env: Record<string, string> }> {
  const simulator = await startSimulator({ control: true, combinedSubscribeTypes: true })
  onTestFinished(() => simulator.close())
  return { simulator, env: environmentOf(serviceLines(simulator)) }
}

/** Records while `emit` sends events. */
async function recordOf(
  stream: string,
  count: number,
  emit: (simulator: Simulator) => void,
  ...flags: readonly string[]
) {
  const { simulator, env } = await service()
  const file = join(await temporaryFolder(), 'recording.jsonl')
  const args = ['record', stream, '--to', file, '--count', String(count), ...flags]
  const recording = run(args, { env })
  await simulator.waitForSubscriptions({ timeoutMs: 45_000 })
  emit(simulator)
  const err = [expect.stringMatching(new RegExp(`^${file}: ${count} events?, 2 notices$`))]
  expect(await recording).toMatchObject({ status: 0, out: [], err })
  const text = await readFile(file, 'utf8')
  const noticeLines = text.split('\n').filter((line) => line.includes('"type":"notice"'))
  expect(noticeLines.map((line) => JSON.parse(line))).toMatchObject([
    { kind: 'subscribed' },
    { kind: 'gap', cause: 'before-subscription' },
  ])
  return { file, text, simulator, env }
}

const ordersOf = (simulator: Simulator): void => {
  for (let index = 0; index < 5; index += 1) {
    const order = simulator.placeOrder({ accountId: String(simulator.accounts[index % 2]) })
    order.fill(1)
    order.complete()
  }
}
const modulesOf = (simulator: Simulator): void => {
  const modules = ['account', 'application', 'funding', 'journal', 'trade'] as const
  for (const module of modules) for (let index = 0; index < 2; index += 1) simulator.emitModule({ module })
}

/** Every id that the simulator has sent. */
function idsIn(simulator: Simulator): readonly string[] {
  const ids = new Set<string>(simulator.accounts)
  const walk = (name: string, value: unknown): void => {
    if (typeof value === 'string' && /account|order_id|client_order|application_id|relationship/.test(name))
      ids.add(value)
    else if (typeof value === 'object' && value !== null)
      for (const [inner, item] of Object.entries(value)) walk(inner, item)
  }
  for (const { payload } of [...simulator.tradeEvents(), ...simulator.moduleEvents()])
    walk('', JSON.parse(payload))
  return [...ids].filter((id) => !/^(?:INDIVIDUAL|CASH|MARGIN)$/.test(id))
}

describe('a recording', () => {
  test.each([
    ['trade', 15, ordersOf],
    ['module', EVENT_TYPES, modulesOf],
  ] as const)(
    'of the %s stream contains no secret and no id, and its lines conform to the schema',
    async (stream, count, emit) => {
      const { file, text, simulator } = await recordOf(stream, count, emit)
      const schema = JSON.parse(
        await readFile(new URL('../../schemas/listen.schema.json', import.meta.url), 'utf8'),
      )
      const validate = new Ajv2020({ strict: false }).compile(schema)
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      for (const line of lines) expect({ line, isValid: validate(line) }).toEqual({ line, isValid: true })
      const gap = lines.find(({ kind }) => kind === 'gap')
      expect(validate({ ...gap, cause: 'unknown' })).toBe(false)
      expect(validate({ ...gap, fromMs: undefined })).toBe(false)
      expect(lines.filter(({ type }) => type === 'event').every(({ decoded }) => decoded !== null)).toBe(true)
      const { appSecret } = simulator.credentials
      const ids = idsIn(simulator)
      expect(ids.length).toBeGreaterThan(5)
      expect([appSecret.reveal(), ...ids].filter((id) => text.includes(id))).toEqual([])
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      // Equal ids have equal pseudonyms, so that relations between events are preserved.
      const read = (recorded: readonly string[], name: string): number[] => {
        const values = recorded.map((payload) => JSON.parse(payload)[name])
        return values.map((value) => values.indexOf(value))
      }
      const sent = simulator.tradeEvents().map(({ payload }) => payload)
      const kept = lines.filter(({ type }) => type === 'event').map(({ payload }) => payload)
      if (stream === 'trade')
        for (const name of ['account_id', 'order_id', 'client_order_id'])
          expect(read(kept, name)).toEqual(read(sent, name))
    },
  )

  test('contains the events byte for byte with --keep-ids, but no secret', async () => {
    const { text, simulator } = await recordOf(
      'trade',
      16,
      (sim) => {
        ordersOf(sim)
        sim.emitTradeFrame({ payload: `no JSON, ${sim.credentials.appSecret.reveal()}` })
      },
      '--keep-ids',
    )
    const { events } = readRecording(text)
    const sent = simulator.tradeEvents().map(({ payload }) => payload)
    expect(events.map(({ payload }) => payload).slice(0, 15)).toEqual(sent.slice(0, 15))
    expect(events.at(-1)?.payload).toBe('no JSON, [secret]')
  })

  test('omits a payload in which ids cannot be found, and reports that', async () => {
    const { text } = await recordOf('trade', 1, (sim) => {
      sim.emitTradeFrame({ payload: `account ${sim.accounts[0]}` })
    })
    const line = text
      .trimEnd()
      .split('\n')
      .map((item) => JSON.parse(item))
      .find(({ type }) => type === 'event')
    expect(line).toMatchObject({ payload: '', decoded: null, problem: { code: 'RECORD_PAYLOAD_WITHHELD' } })
  })

  test('has the same pseudonyms as another one with the same app secret', async () => {
    const { simulator, env } = await service()
    const folder = await temporaryFolder()
    const both = ['one', 'two'].map((name) =>
      run(['record', 'trade', '--to', join(folder, name), '--count', '1'], { env }),
    )
    await simulator.waitForSubscriptions({ count: 2 })
    simulator.emitOrder()
    await Promise.all(both)
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (name) => readRecording(await readFile(join(folder, name), 'utf8'))),
    )
    expect(one?.events[0]?.payload).toBe(two?.events[0]?.payload)
    expect(one?.accounts).toEqual(two?.accounts)
  })

  test('needs the name of a file that does not exist yet', async () => {
    const { env } = await service()
    const file = await temporaryFile('mine', 'mine')
    const { status, err } = await run(['record', 'trade', '--to', file, '--count', '1'], { env })
    expect({ status, err: err.join() }).toEqual({
      status: 2,
      err: expect.stringContaining('must not exist yet'),
    })
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect((await run(['record', 'trade'], { env })).err.join()).toContain('  recording  --to <file>')
  })

  test('of quotes is rejected: it used to record position events under that name', async () => {
    const { env } = await service()
    const file = join(await temporaryFolder(), 'recording.jsonl')
    const quotes = await run(['record', 'quotes', '--to', file], { env })
    expect({ status: quotes.status, err: quotes.err.join() }).toEqual({
      status: 2,
      err: expect.stringContaining(
        '<stream> must be "trade" or "position" or "account" or "module"; received "quotes"',
      ),
    })
    const symbols = await run(['record', 'trade', '--to', file, '--symbols', 'AAPL'], { env })
    expect({ status: symbols.status, err: symbols.err.join() }).toEqual({
      status: 2,
      err: expect.stringContaining('unknown option "--symbols"'),
    })
    const { out } = await run(['record', '--help'], { env })
    expect(out.join('\n')).not.toMatch(/quotes|--symbols|--category|--types|--mqtt-url/)
  })
})

describe('a replay', () => {
  test('sends the same events on a running service, with the accounts of that service', async () => {
    const { file, text } = await recordOf('trade', 15, ordersOf)
    const { simulator, env } = await service()
    expect(await run(['replay', file, '--speed', 'max'], { env })).toEqual({
      status: 0,
      out: [],
      err: [`${file}: 15 events replayed`],
    })
    const { events, accounts } = readRecording(text)
    const fields = events.map(({ payload, frame }) => {
      const { subscribeType: _, unknownFields: __, ...sent } = frame as Record<string, unknown>
      return { ...sent, payload }
    })
    expect(accounts.length).toBe(2)
    expect(
      simulator.tradeEvents().map(({ eventType, contentType, requestId, timestampMs, payload }) => {
        return { eventType, contentType, requestId, timestamp: String(timestampMs), payload }
      }),
    ).toEqual(fields)
    expect(new Set(simulator.tradeEvents().map(({ accountId }) => accountId))).toEqual(
      new Set(simulator.accounts),
    )
  })

  test('preserves ids and cursors of module events, so that a second recording is equal', async () => {
    const { file, text } = await recordOf('module', EVENT_TYPES, modulesOf, '--keep-ids')
    const { simulator, env } = await service()
    const again = join(await temporaryFolder(), 'again.jsonl')
    const recording = run(['record', 'module', '--to', again, '--count', String(EVENT_TYPES), '--keep-ids'], {
      env,
    })
    await simulator.waitForSubscriptions()
    expect(await run(['replay', file, '--speed', '1000'], { env })).toMatchObject({ status: 0 })
    expect((await recording).status).toBe(0)
    const eventsOf = (recorded: string) =>
      readRecording(recorded).events.map(({ receivedAtMs: _, ...event }) => event)
    expect(eventsOf(await readFile(again, 'utf8'))).toEqual(eventsOf(text))
  })

  test('consists of duplicates for a client that has received it before', async () => {
    const { file, text } = await recordOf('trade', 15, ordersOf)
    const { simulator, env } = await service()
    await using brokerage = createBrokerage(simulator.brokerageOptions())
    const seen: string[] = []
    const reading = (async () => {
      for await (const item of brokerage.tradeEvents({ accounts: simulator.accounts })) {
        if (item.type === 'event') seen.push(item.payload)
        if (item.type === 'event' && item.payload === '"the last"') return
      }
    })()
    await simulator.waitForSubscriptions()
    for (const _ of [1, 2]) {
      expect(await run(['replay', file, '--speed', 'max'], { env })).toMatchObject({ status: 0 })
    }
    simulator.emitTradeFrame({ payload: '"the last"' })
    await reading
    expect(simulator.tradeEvents()).toHaveLength(31)
    expect(seen).toEqual([...readRecording(text).events.map(({ payload }) => payload), '"the last"'])
  })

  test('starts a service with the accounts of the recording if none is running, and ends', async () => {
    const { file, text } = await recordOf('trade', 15, ordersOf)
    const { done, out } = runInBackground(['replay', file, '--speed', 'max'], { env: {} })
    await expect.poll(() => out.length, { timeout: 15_000 }).toBeGreaterThan(8)
    const env = environmentOf(out)
    const { events, accounts } = readRecording(text)
    expect(env.BROKERWIRE_ACCOUNTS?.split(',')).toEqual(accounts)
    await using brokerage = createBrokerage({
      region: 'us',
      environment: 'production',
      appKey: String(env.BROKERWIRE_APP_KEY),
      appSecret: String(env.BROKERWIRE_APP_SECRET),
      overrides: {
        baseUrl: String(env.BROKERWIRE_BASE_URL),
        eventsUrl: String(env.BROKERWIRE_EVENTS_URL),
      },
    })
    const seen: string[] = []
    for await (const item of brokerage.tradeEvents({ accounts })) {
      if (item.type === 'event') seen.push(item.payload)
      if (seen.length === events.length) break
    }
    expect(seen).toEqual(events.map(({ payload }) => payload))
    expect((await done).status).toBe(0)
  })

  test('sends the events of a combined subscription to one subscription', async () => {
    const emit = (simulator: Simulator): void => {
      simulator.emitOrder()
      simulator.emitPosition()
    }
    const { file, text } = await recordOf('account', 2, emit, '--subscribe-type', '3')
    const { done, out } = runInBackground(['replay', file, '--speed', 'max'], { env: {} })
    await expect.poll(() => out.length, { timeout: 15_000 }).toBeGreaterThan(8)
    const { status, out: lines } = await run(
      ['listen', 'account', '--subscribe-type', '3', '--json', '--count', '2'],
      { env: environmentOf(out) },
    )
    const played = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'event')
    const { events } = readRecording(text)
    expect(status).toBe(0)
    expect(played.map(({ kind, payload }) => [kind, payload])).toEqual(
      events.map(({ kind, payload }) => [kind, payload]),
    )
    expect(played.map(({ kind }) => kind)).toEqual(['order', 'position'])
    expect((await done).status).toBe(0)
  })

  test.each([
    ['{"stream":"trade"}\n', [], "line 1: type must be one of 'event', 'undecodable', 'notice'"],
    ['', ['--speed', '0'], '--speed must be a number from 0.001'],
    ['', ['--speed', 'fast'], '--speed must be a number from 0.001'],
    ['', ['--app', 'unknown'], '--app must be the name of an app of the running service: app-1'],
  ])('is rejected with the name of the problem: %j %j', async (text, flags, message) => {
    const { simulator, env } = await service()
    const file = await temporaryFile('recording.jsonl', text)
    const { status, out, err } = await run(['replay', file, ...flags], { env })
    expect({ status, out, err: err.join() }).toEqual({
      status: 2,
      out: [],
      err: expect.stringContaining(message),
    })
    expect(simulator.tradeEvents()).toEqual([])
  })
})

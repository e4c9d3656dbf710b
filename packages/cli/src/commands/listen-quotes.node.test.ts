/** `brokerwire listen quotes` against a simulator: JSON lines in a pipe, a table on a terminal. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { LiveTable } from '../listen/quote-table.ts'
import { run, runInBackground } from '../test/run.ts'
import { startService } from '../test/service.ts'

const service = await startService('--quotes', '--scenario', 'none', '--rate-limit', 'off')
/** One store with one token for all tests. */
const folder = await mkdtemp(join(tmpdir(), 'brokerwire-listen-quotes-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const env = { BROKERWIRE_STORE: join(folder, 'store') }

beforeAll(async () => {
  const args = ['token', 'create', '--wait', '--poll-interval', '300ms']
  expect((await run(args, { env: { ...service.env, ...env } })).status).toBe(0)
}, 60_000)

const listen = (args: readonly string[], more: object = {}) =>
  service.run(['listen', 'quotes', '--timeout', '15s', ...args], { env, ...more })

describe('listen quotes in a pipe', () => {
  test('prints each message and each notice as one line of JSON that matches the schema', async () => {
    const schema = JSON.parse(
      await readFile(new URL('../../schemas/listen.schema.json', import.meta.url), 'utf8'),
    )
    const validate = new Ajv2020({ strict: false }).compile(schema)
    const { out, status } = await listen([
      '--symbols',
      'AAPL,TSLA',
      '--types',
      'snapshot,tick',
      '--count',
      '6',
    ])
    expect(status).toBe(0)
    const lines = out.map((line) => JSON.parse(line))
    for (const line of lines) expect({ line, isValid: validate(line) }).toEqual({ line, isValid: true })
    expect(lines[0]).toMatchObject({ type: 'notice', kind: 'subscribed', symbols: 2 })
    const messages = lines.filter(({ type }) => type === 'message')
    expect(messages).toHaveLength(6)
    expect(messages[0].decoded.price).toMatch(/^\d+\.\d\d$/)
    expect(['AAPL', 'TSLA']).toContain(messages[0].symbol)
  })
})

describe('listen quotes on a terminal', () => {
  test('redraws a table in place', async () => {
    const { out } = await listen(['--symbols', 'AAPL', '--count', '3'], { isOutTerminal: true })
    const heads = out.filter((line) => line.includes('symbol') && line.includes('price'))
    expect(heads.length).toBeGreaterThanOrEqual(3)
    expect(out.at(-1)).toMatch(/^AAPL +\d+\.\d\d +[+-]?\d+\.\d\d % /)
    // Moves the cursor two lines up, to the start of the table.
    expect(out.filter((line) => line.startsWith('\u001b[2A')).length).toBeGreaterThanOrEqual(2)
    expect(out.some((line) => line.includes('subscribed: 1 symbols on connection 1'))).toBe(true)
  })

  test('prints JSON with --json', async () => {
    const { out } = await listen(['--symbols', 'AAPL', '--count', '1', '--json'], { isOutTerminal: true })
    expect(out.map((line) => JSON.parse(line).stream)).toEqual(out.map(() => 'quotes'))
  })

  test('keeps the lines above the table, and overwrites the table', () => {
    const written: string[] = []
    const table = new LiveTable((line) => written.push(line))
    table.draw(['a', 'b'])
    table.draw(['c', 'd'], 'above')
    table.draw(['e', 'f'])
    expect(written).toEqual([
      'a\u001b[K',
      'b\u001b[K',
      '\u001b[2Aabove\u001b[K',
      'c\u001b[K',
      'd\u001b[K',
      '\u001b[2Ae\u001b[K',
      'f\u001b[K',
    ])
  })
})

describe('listen quotes with a problem', () => {
  test.each([
    [[], '--symbols'],
    [['--symbols', ' , '], '--symbols'],
    [['--symbols', 'AAPL', '--types', 'prices'], '--types'],
    [['--symbols', 'AAPL', '--category', 'us stock'], '--category must be'],
    [['--symbols', 'AAPL', '--mqtt-url', 'http://127.0.0.1:1'], '--mqtt-url must be'],
  ])('%j is reported with the name %s', async (args, name) => {
    const { status, err } = await listen(args)
    expect({ status, err: err.join('\n') }).toEqual({ status: 2, err: expect.stringContaining(name) })
  })

  test('ends with status 77 without a stored token, and creates none', async () => {
    const { status, err } = await listen(['--symbols', 'AAPL'], {
      env: { BROKERWIRE_STORE: join(folder, 'empty') },
    })
    expect({ status, err: err.join('\n') }).toEqual({
      status: 77,
      err: expect.stringContaining('CLI_TOKEN_MISSING'),
    })
  })

  test('ends with status 75, the host and the reason if the broker cannot be reached', async () => {
    const away = ['--mqtt-url', 'mqtt://127.0.0.1:1', '--max-attempts', '2', '--verbose']
    const { status, err } = await listen(['--symbols', 'AAPL', ...away])
    expect({ status, lastErr: err.at(-1) }).toEqual({
      status: 75,
      lastErr: expect.stringMatching(/^CLI_UNREACHABLE: 127\.0\.0\.1:1: 2 attempts failed: ECONNREFUSED; /),
    })
    expect(err[0]).toBe('quotes connection 1: attempt 1 to 127.0.0.1:1')
  })

  test('ends with CLI_TIMED_OUT after fewer messages than --count, as on the other streams', async () => {
    const { status, err } = await listen(['--symbols', 'AAPL', '--count', '100000', '--timeout', '700ms'])
    expect({ status, lastErr: err.at(-1) }).toEqual({
      status: 75,
      lastErr: expect.stringMatching(/^CLI_TIMED_OUT: \d+ of 100000 messages were not received within 700ms/),
    })
  })
})

test('an outage after the first subscription does not count for --max-attempts: it used to end the command', async () => {
  const proxy = await startTcpProxy(Number(new URL(service.env.BROKERWIRE_MQTT_URL ?? '').port))
  onTestFinished(() => proxy.close())
  const stop = new AbortController()
  const address = ['--mqtt-url', `mqtt://127.0.0.1:${proxy.port}`]
  const { out, done } = runInBackground(
    ['listen', 'quotes', '--symbols', 'AAPL', '--max-attempts', '1', ...address],
    { env: { ...service.env, ...env }, signal: stop.signal },
  )
  const count = (what: string): number => out.filter((line) => line.includes(what)).length
  const SUBSCRIBED = '"kind":"subscribed"'
  await expect.poll(() => count(SUBSCRIBED)).toBe(1)
  proxy.mode = 'refuse'
  proxy.cut()
  await expect.poll(() => count('"kind":"reconnecting"')).toBeGreaterThanOrEqual(2)
  proxy.mode = 'open'
  await expect.poll(() => count(SUBSCRIBED)).toBe(2)
  stop.abort()
  expect(await done).toMatchObject({ status: 0, err: [] })
})

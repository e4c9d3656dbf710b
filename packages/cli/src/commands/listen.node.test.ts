/**
 * `brokerwire listen`: connections that fail, JSON by its schema, positions, timeouts and invalid options.
 */
import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { startService } from '../test/service.ts'

const service = await startService('--interval', '5', '--rate-limit', 'off', '--combined-subscribe-types')
const quiet = await startService('--scenario', 'none', '--rate-limit', 'off')
const CLOSED = {
  BROKERWIRE_EVENTS_URL: 'http://127.0.0.1:1',
  BROKERWIRE_MODULE_EVENTS_URL: 'http://127.0.0.1:1',
}

describe('the first connection', () => {
  test('ends the command with the host, the reason and status 75 if it never succeeds', async () => {
    const { status, out, err } = await service.run(['listen', 'trade', '--max-attempts', '2', '--verbose'], {
      env: CLOSED,
    })
    expect(status).toBe(75)
    expect(err[0]).toBe('trade stream: attempt 1 to 127.0.0.1:1')
    expect(err.at(-1)).toMatch(/^CLI_UNREACHABLE: 127\.0\.0\.1:1: 2 attempts failed: .*ECONNREFUSED/)
    expect(out[0]).toMatch(/reconnecting in .*ECONNREFUSED/)
  })

  test('is retried with --max-attempts 0 until the command is stopped', async () => {
    const stop = new AbortController()
    const args = ['listen', 'module', '--max-attempts', '0', '--timeout', '1500ms']
    expect(await service.run(args, { env: CLOSED, signal: stop.signal })).toMatchObject({
      status: 0,
      err: [],
    })
  })

  test('ends the command with status 77 if the credentials are rejected', async () => {
    const { status, err } = await service.run(['listen', 'module'], {
      env: { BROKERWIRE_APP_SECRET: 'another' },
    })
    expect({ status, lastErr: err.at(-1) }).toEqual({
      status: 77,
      lastErr: expect.stringMatching(/^STREAM_AUTH_REJECTED: .*--with-token/),
    })
  })
})

describe('--json', () => {
  test.each([['trade'], ['position'], ['account', '--subscribe-type', '3'], ['module']])(
    'lines of the %s stream conform to the schema',
    async (stream, ...flags) => {
      const schema = JSON.parse(
        await readFile(new URL('../../schemas/listen.schema.json', import.meta.url), 'utf8'),
      )
      const validate = new Ajv2020({ strict: false }).compile(schema)
      const { out } = await service.run(['listen', stream, ...flags, '--json', '--count', '8'])
      const lines = out.map((line) => JSON.parse(line))
      for (const line of lines) expect({ line, isValid: validate(line) }).toEqual({ line, isValid: true })
      const events = lines.filter(({ type }) => type === 'event')
      expect(events.length).toBe(8)
      expect(events.every(({ decoded }) => decoded !== null)).toBe(true)
      expect(validate({ ...events[0], receivedAtMs: 'now' })).toBe(false)
    },
  )
})

describe('--from', () => {
  test('starts after the event of a position, or with new events for now', async () => {
    const first = (await quiet.control.emit({ module: { module: 'funding' } })) as {
      readonly position: string
    }
    const second = await quiet.control.emit({ module: { module: 'funding' } })
    const args = ['listen', 'module', '--modules', 'funding', '--json', '--count', '1']
    const { out } = await quiet.run([...args, '--from', `FUNDING=${first.position}`])
    const { id } = second as { readonly id: string }
    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ frame: { id } })
    const now = await quiet.run([...args, '--from', 'now', '--timeout', '1s'])
    expect({ status: now.status, out: now.out.filter((line) => JSON.parse(line).type === 'event') }).toEqual({
      status: 75,
      out: [],
    })
  })
})

test('an unknown module gets a warning with the most similar name', async () => {
  const { status, err } = await quiet.run(['listen', 'module', '--modules', 'fundin', '--timeout', '1s'])
  expect({ status, err: err.join() }).toEqual({
    status: 0,
    err: expect.stringContaining('is used as an event type; known modules are'),
  })
})

test('--accounts overrides the variable, and a stream of another account is rejected', async () => {
  const { status } = await service.run(['listen', 'trade', '--accounts', 'nobody'])
  expect(status).toBe(77)
})

describe('--timeout', () => {
  test('ends a listener with status 0, or with 75 if --count was not reached', async () => {
    expect((await service.run(['listen', 'trade', '--timeout', '700ms'])).status).toBe(0)
    const { status, err } = await service.run(['listen', 'trade', '--count', '100000', '--timeout', '700ms'])
    expect({ status, err: err.join() }).toEqual({
      status: 75,
      err: expect.stringMatching(/^CLI_TIMED_OUT: \d+ of 100000 events were not received within 700ms/),
    })
  })
})

test.each([
  [['trade', '--cursor', 'x'], '--cursor must be used only with module; received trade'],
  [['position', '--from', 'now'], '--from must be used only with module; received position'],
  [['trade', '--symbols', 'AAPL'], '--symbols must be used only with quotes; received trade'],
  [['module', '--types', 'snapshot'], '--types must be used only with quotes; received module'],
  [
    ['module', '--accounts', 'A'],
    '--accounts must be used only with trade or position or account; received module',
  ],
  [['quotes', '--symbols', 'A', '--cursor', 'x'], '--cursor must be used only with module; received quotes'],
  [['quotes', '--symbols', 'A', '--from', 'now'], '--from must be used only with module; received quotes'],
  [
    ['quotes', '--symbols', 'A', '--modules', 'funding'],
    '--modules must be used only with module; received quotes',
  ],
  [
    ['quotes', '--symbols', 'A', '--with-token'],
    '--with-token must be used only with trade or position or account or module; received quotes',
  ],
  [['account'], '--subscribe-type <n>'],
  [['account', '--subscribe-type', '0'], '--subscribe-type must be'],
  [['trade', '--subscribe-type', '3'], '--subscribe-type must be used only with account; received trade'],
  [['module', '--from', 'yesterday'], '--from'],
  [['module', '--cursor', '/nowhere/at/all'], 'ENOENT'],
  [['trade', '--timeout', 'soon'], '--timeout must be a duration'],
])('rejects %j', async (args, message) => {
  const { status, err } = await service.run(['listen', ...args])
  expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(message) })
})

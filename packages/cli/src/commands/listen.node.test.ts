/** `brokerwire listen`: connections that fail, cursors that survive a kill, JSON by its schema. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMMAND } from '../test/command.ts'
import { run, runInBackground, SOON } from '../test/run.ts'
import { startService, temporaryStore } from '../test/service.ts'
import { temporaryFile } from '../test/temporary.ts'

const service = await startService('--interval', '5', '--rate-limit', 'off')
const quiet = await startService('--scenario', 'none', '--rate-limit', 'off')
const production = await startService(
  ...['--scenario', 'none', '--second-factor', 'manual', '--quotes', '--rate-limit', 'off'],
)
const CLOSED = {
  BROKERWIRE_EVENTS_URL: 'http://127.0.0.1:1',
  BROKERWIRE_MODULE_EVENTS_URL: 'http://127.0.0.1:1',
}

describe('a first connection', () => {
  test('that never succeeds ends with the host, the reason and status 75', async () => {
    const { status, out, err } = await service.run(['listen', 'trade', '--max-attempts', '2', '--verbose'], {
      env: CLOSED,
    })
    expect(status).toBe(75)
    expect(err[0]).toBe('trade stream: attempt 1 to 127.0.0.1:1')
    expect(err.at(-1)).toMatch(/^CLI_UNREACHABLE: 127\.0\.0\.1:1: 2 attempts failed: .*ECONNREFUSED/)
    expect(out[0]).toMatch(/reconnecting in .*ECONNREFUSED/)
  })

  test('with --max-attempts 0 goes on until it is stopped', async () => {
    const stop = new AbortController()
    const args = ['listen', 'module', '--max-attempts', '0', '--timeout', '1500ms']
    expect(await service.run(args, { env: CLOSED, signal: stop.signal })).toMatchObject({
      status: 0,
      err: [],
    })
  })

  test('with refused credentials ends with status 77', async () => {
    const { status, err } = await service.run(['listen', 'module'], {
      env: { BROKERWIRE_APP_SECRET: 'another' },
    })
    expect([status, err.at(-1)]).toEqual([77, expect.stringMatching(/^STREAM_AUTH_REJECTED: .*--with-token/)])
  })
})

describe('--json', () => {
  test.each(['trade', 'position', 'module'])(
    'lines of the %s stream are what the schema says',
    async (stream) => {
      const schema = JSON.parse(
        await readFile(new URL('../../schemas/listen.schema.json', import.meta.url), 'utf8'),
      )
      const validate = new Ajv2020({ strict: false }).compile(schema)
      const { out } = await service.run(['listen', stream, '--json', '--count', '8'])
      const lines = out.map((line) => JSON.parse(line))
      for (const line of lines) expect([line, validate(line)]).toEqual([line, true])
      const events = lines.filter(({ type }) => type === 'event')
      expect(events.length).toBe(8)
      expect(events.every(({ decoded }) => decoded !== null)).toBe(true)
      expect(validate({ ...events[0], receivedAtMs: 'now' })).toBe(false)
    },
  )
})

describe('--from', () => {
  test('a position goes on behind it, now leaves out what was', async () => {
    const first = (await quiet.control.emit({ module: { module: 'funding' } })) as {
      readonly position: string
    }
    const second = await quiet.control.emit({ module: { module: 'funding' } })
    const args = ['listen', 'module', '--modules', 'funding', '--json', '--count', '1']
    const { out } = await quiet.run([...args, '--from', `FUNDING=${first.position}`])
    const { id } = second as { readonly id: string }
    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ frame: { id } })
    const now = await quiet.run([...args, '--from', 'now', '--timeout', '1s'])
    expect([now.status, now.out.filter((line) => JSON.parse(line).type === 'event')]).toEqual([75, []])
  })
})

test('a module that is none is remarked on, with the near one', async () => {
  const { status, err } = await quiet.run(['listen', 'module', '--modules', 'fundin', '--timeout', '1s'])
  expect([status, err.join()]).toEqual([
    0,
    expect.stringContaining('event type (Did you mean funding?); known are'),
  ])
})

test('--accounts goes before the variable, and a stream of another account is refused', async () => {
  const { status } = await service.run(['listen', 'trade', '--accounts', 'nobody'])
  expect(status).toBe(77)
})

describe('--timeout', () => {
  test('ends a listener with status 0, and one whose count was not reached with 75', async () => {
    expect((await service.run(['listen', 'trade', '--timeout', '700ms'])).status).toBe(0)
    const { status, err } = await service.run(['listen', 'trade', '--count', '100000', '--timeout', '700ms'])
    expect([status, err.join()]).toEqual([
      75,
      expect.stringMatching(/^CLI_TIMED_OUT: \d+ of 100000 events had not come after 700ms/),
    ])
  })
})

describe('--cursor', () => {
  const COUNT = 20

  /** Positions that a listener prints until it is killed, without a chance to say anything. */
  async function listenUntilKilled(file: string, count: number): Promise<string[]> {
    const args = [COMMAND, 'listen', 'module', '--modules', 'funding', '--json', '--cursor', file]
    const child = spawn(process.execPath, args, { env: service.env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const ids: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      const { type, frame } = JSON.parse(line)
      if (type === 'event') ids.push(frame.id)
      if (ids.length === count) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return ids
  }

  test('goes on after a kill: nothing is missing, and what was not noted comes again', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    const first = await listenUntilKilled(file, COUNT)
    const second = await listenUntilKilled(file, COUNT)
    const at = first.indexOf(second[0] ?? '')
    // Either the second begins within the first, or right behind it.
    const both = Math.min(first.length - at, second.length)
    if (at >= 0) expect(second.slice(0, both)).toEqual(first.slice(at, at + both))
    const all = await service.run([
      'listen',
      'module',
      '--modules',
      'funding',
      '--json',
      '--cursor',
      file,
      '--count',
      '1',
    ])
    expect(
      all.out.some((line) => JSON.parse(line).kind === 'resumed' || JSON.parse(line).type === 'event'),
    ).toBe(true)
    expect(at >= 0 || second.length === COUNT).toBe(true)
  }, 60_000)

  /** Runs a listener of two modules, and does something once it is subscribed. */
  async function listenQuietly(
    file: string,
    count: number,
    work: () => Promise<unknown>,
  ): Promise<unknown[]> {
    const args = ['listen', 'module', '--modules', 'funding,journal', '--json', '--cursor', file]
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const env = { ...quiet.env, BROKERWIRE_STORE: temporaryStore() }
    const { out, done } = runInBackground([...args, '--count', `${count}`], { env, signal: stop.signal })
    await expect.poll(() => out.some((line) => line.includes('"subscribed"')), SOON).toBe(true)
    await work()
    expect((await done).status).toBe(0)
    return out.map((line) => JSON.parse(line)).filter(({ kind }) => kind !== 'subscribed')
  }
  const emit = (module: 'funding' | 'journal') => quiet.control.emit({ module: { module } })

  test('the last event of --count is noted: it does not come again, and what follows it does', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    expect(await listenQuietly(file, 1, () => emit('funding'))).toMatchObject([{ type: 'event' }])
    const missed = await emit('funding')
    const [gap, ...events] = await listenQuietly(file, 1, async () => {})
    expect(gap).toMatchObject({ kind: 'gap', cause: 'no-cursor', eventTypes: ['JOURNAL'] })
    expect(events).toMatchObject([{ frame: { id: (missed as { readonly id: string }).id } }])
  }, 60_000)

  test('a type without an event before the stop has no position to go on from: a gap says so', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    await listenQuietly(file, 1, () => emit('funding'))
    await emit('journal')
    const items = await listenQuietly(file, 1, () => emit('funding'))
    expect(items[0]).toMatchObject({
      kind: 'gap',
      cause: 'no-cursor',
      eventTypes: ['JOURNAL'],
      fromMs: expect.any(Number),
    })
    expect(items.at(-1)).toMatchObject({ frame: { eventType: 'FUNDING' } })
  }, 60_000)

  test('a second listener says that it waits, and goes on where the first has ended', async () => {
    const file = join(temporaryStore(), '..', 'cursor.json')
    const args = ['listen', 'module', '--modules', 'funding', '--json', '--cursor', file, '--count', '1']
    const env = () => ({ ...quiet.env, BROKERWIRE_STORE: temporaryStore() })
    const first = runInBackground(args, { env: env() })
    await expect.poll(() => first.out.join(), SOON).toContain('"subscribed"')
    const second = runInBackground(args, { env: env() })
    const line = `${file}: another listener has this file; this one waits until it has ended`
    await expect.poll(() => second.err, SOON).toEqual([line])
    const late = await run([...args, '--timeout', '1s'], { env: env() })
    expect([late.status, late.err.at(-1)]).toEqual([75, expect.stringMatching(/^CLI_TIMED_OUT: 1 of 1/)])
    const stop = new AbortController()
    const stopped = runInBackground(args, { env: env(), signal: stop.signal })
    await expect.poll(() => stopped.err, SOON).toEqual([line])
    stop.abort('SIGINT')
    expect((await stopped.done).status).toBe(130)
    const one = await emit('funding')
    expect((await first.done).status).toBe(0)
    await expect.poll(() => second.out.length, SOON).toBeGreaterThan(0)
    const other = await emit('funding')
    expect((await second.done).status).toBe(0)
    const idOf = ({ out }: { readonly out: readonly string[] }) => JSON.parse(out.at(-1) ?? '{}').frame.id
    expect([idOf(first), idOf(second)]).toEqual([one, other].map((event) => (event as { id: string }).id))
    expect(existsSync(`${file}.lock`)).toBe(false)
  }, 60_000)

  test('a directory that is missing is an error, and nothing is made', async () => {
    const folder = join(temporaryStore(), '..', 'missing')
    const { status, err } = await service.run(['listen', 'module', '--cursor', join(folder, 'cursor.json')])
    expect([status, err.join()]).toEqual([2, expect.stringMatching(/a file that can be written, got ENOENT/)])
    expect(existsSync(folder)).toBe(false)
  })

  test('a file that holds something else is refused, and left as it is', async () => {
    const file = await temporaryFile('cursor.json', '{"mine":1}')
    const { status, err } = await service.run(['listen', 'module', '--cursor', file])
    expect([status, err.join()]).toEqual([2, expect.stringContaining('CLI_INPUT_UNREADABLE')])
    expect(await readFile(file, 'utf8')).toBe('{"mine":1}')
  })
})

test.each([
  [['trade', '--cursor', 'x'], '--cursor: expected only with module, got trade'],
  [['position', '--from', 'now'], '--from: expected only with module, got position'],
  [['trade', '--symbols', 'AAPL'], '--symbols: expected only with quotes, got trade'],
  [['module', '--types', 'snapshot'], '--types: expected only with quotes, got module'],
  [['module', '--accounts', 'A'], '--accounts: expected only with trade, position, got module'],
  [['quotes', '--symbols', 'A', '--cursor', 'x'], '--cursor: expected only with module, got quotes'],
  [['quotes', '--symbols', 'A', '--from', 'now'], '--from: expected only with module, got quotes'],
  [['quotes', '--symbols', 'A', '--modules', 'funding'], '--modules: expected only with module, got quotes'],
  [
    ['quotes', '--symbols', 'A', '--with-token'],
    '--with-token: expected only with trade, position, module, got quotes',
  ],
  [['module', '--from', 'yesterday'], '--from'],
  [['module', '--cursor', '/nowhere/at/all'], 'ENOENT'],
  [['trade', '--timeout', 'soon'], 'Expected a duration'],
])('refuses %j', async (args, message) => {
  const { status, err } = await service.run(['listen', ...args])
  expect([status, err.join()]).toEqual([2, expect.stringContaining(message)])
})

test('--with-token sends the stored token', async () => {
  const env = { BROKERWIRE_STORE: temporaryStore() }
  expect((await service.run(['token', 'create', '--wait', '--poll-interval', '300ms'], { env })).status).toBe(
    0,
  )
  expect((await service.run(['listen', 'trade', '--with-token', '--count', '1'], { env })).status).toBe(0)
})

test('--create asks for a token, waits for the person, and goes on with it', async () => {
  const store = temporaryStore()
  const args = ['listen', 'trade', '--with-token', '--create', '--count', '1', '--json']
  const listening = production.run(args, { env: { BROKERWIRE_STORE: store } })
  await expect.poll(() => production.control.approve()).toBe(1)
  await expect.poll(async () => (await production.control.state()).connections).toBe(1)
  await production.control.emit({ order: { scene: 'FINAL_FILLED' } })
  expect((await listening).status).toBe(0)
  const { status, err } = await production.run(['listen', 'trade', '--create'])
  expect([status, err.join()]).toEqual([2, expect.stringContaining('--with-token beside it')])
})

test.each([
  ['listen', 'trade', '--with-token'],
  ['listen', 'quotes', '--symbols', 'AAPL'],
  ['record', 'trade', '--with-token', '--to', join(tmpdir(), 'never-written')],
])('--timeout ends the wait for the second factor, too: %s %s waited on', async (...args) => {
  const limited = [...args, '--create', '--timeout', '500ms']
  expect((await production.run(limited)).status).toBe(0)
  const { status, err } = await production.run([...limited, '--count', '1'])
  expect([status, err.at(-1)]).toEqual([75, expect.stringMatching(/^CLI_TIMED_OUT: 1 of 1 \w+ had not come/)])
})

test.each([
  ['listen', 'trade', '--with-token'],
  ['listen', 'quotes', '--symbols', 'AAPL'],
  ['record', 'trade', '--with-token', '--to', join(tmpdir(), 'never-written')],
])(
  'stopped while the second factor is waited for, it has not done what it was asked for: %s %s',
  async (...args) => {
    const stop = new AbortController()
    const env = { ...production.env, BROKERWIRE_STORE: temporaryStore() }
    const waiting = runInBackground([...args, '--create'], { env, signal: stop.signal })
    await expect.poll(() => waiting.err.join(), SOON).toContain('a code has to be entered')
    stop.abort('SIGTERM')
    expect((await waiting.done).status).toBe(143)
  },
)

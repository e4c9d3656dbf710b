/** `brokerwire listen` and `record` with a token: stored, created, and while the second factor is pending. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInBackground, SOON } from '../test/run.ts'
import { startService, temporaryStore } from '../test/service.ts'

const service = await startService('--interval', '5', '--rate-limit', 'off')
const production = await startService(
  ...['--scenario', 'none', '--second-factor', 'manual', '--quotes', '--rate-limit', 'off'],
)

test('--with-token sends the stored token', async () => {
  const env = { BROKERWIRE_STORE: temporaryStore() }
  expect((await service.run(['token', 'create', '--wait', '--poll-interval', '300ms'], { env })).status).toBe(
    0,
  )
  expect((await service.run(['listen', 'trade', '--with-token', '--count', '1'], { env })).status).toBe(0)
})

test('--create creates a token, waits for the second factor, and listens', async () => {
  const store = temporaryStore()
  const args = ['listen', 'trade', '--with-token', '--create', '--count', '1', '--json']
  const listening = production.run(args, { env: { BROKERWIRE_STORE: store } })
  await expect.poll(() => production.control.approve()).toBe(1)
  await expect.poll(async () => (await production.control.state()).connections).toBe(1)
  await production.control.emit({ order: { scene: 'FINAL_FILLED' } })
  expect((await listening).status).toBe(0)
  const { status, err } = await production.run(['listen', 'trade', '--create'])
  expect({ status, err: err.join() }).toEqual({
    status: 2,
    err: expect.stringContaining('--create must be given together with --with-token'),
  })
})

test.each([
  ['listen', 'trade', '--with-token'],
  ['listen', 'quotes', '--symbols', 'AAPL'],
  ['record', 'trade', '--with-token', '--to', join(tmpdir(), 'never-written')],
])('--timeout also ends the wait for the second factor: %s %s used to continue', async (...args) => {
  const limited = [...args, '--create', '--timeout', '500ms']
  expect((await production.run(limited)).status).toBe(0)
  const { status, err } = await production.run([...limited, '--count', '1'])
  expect({ status, lastErr: err.at(-1) }).toEqual({
    status: 75,
    lastErr: expect.stringMatching(/^CLI_TIMED_OUT: 1 of 1 \w+ were not received/),
  })
})

test.each([
  ['listen', 'trade', '--with-token'],
  ['listen', 'quotes', '--symbols', 'AAPL'],
  ['record', 'trade', '--with-token', '--to', join(tmpdir(), 'never-written')],
])(
  'a command that is stopped while the second factor is pending has not succeeded: %s %s',
  async (...args) => {
    const stop = new AbortController()
    const env = { ...production.env, BROKERWIRE_STORE: temporaryStore() }
    const waiting = runInBackground([...args, '--create'], { env, signal: stop.signal })
    await expect.poll(() => waiting.err.join(), SOON).toContain('you must enter a code')
    stop.abort('SIGTERM')
    expect((await waiting.done).status).toBe(143)
  },
)

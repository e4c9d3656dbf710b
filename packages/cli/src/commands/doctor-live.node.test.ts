/** `brokerwire doctor --live` against the simulator: the record, its files, the questions and wrong usage. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAnswer } from '../doctor/live/answer.ts'
import { QUESTION_NAMES } from '../doctor/live/questions.ts'
import { createRecord } from '../doctor/live/record.ts'
import { guardIo } from '../guarded-io.ts'
import { type LiveFlags, runLive } from '../run/doctor-live.ts'
import type { RunOptions } from '../test/run.ts'
import { startService, temporaryStore } from '../test/service.ts'
import { temporaryFolder } from '../test/temporary.ts'

const OPTIONS = ['--scenario', 'none', '--rate-limit', 'off', '--ping-interval', '100ms']
const sandbox = await startService('--environment', 'sandbox', ...OPTIONS)
const production = await startService('--environment', 'production', ...OPTIONS)

/** Runs the measurement without long pauses. */
async function runQuickly(
  service: typeof sandbox,
  flags: Partial<LiveFlags> = {},
  { env, confirm, signal = new AbortController().signal }: RunOptions = {},
  onErr: (line: string) => void = () => {},
) {
  const [out, err]: [string[], string[]] = [[], []]
  const io = guardIo({
    out: (line) => out.push(line),
    err: (line) => {
      err.push(line)
      onErr(line)
    },
    env: { ...service.env, ...env },
    color: false,
    signal,
    prompt: confirm && {
      secret: () => Promise.reject(new Error('this test has no secret')),
      confirm: async (question) => confirm(question),
    },
  })
  const given = { timeout: '10s', environment: service.env.BROKERWIRE_ENVIRONMENT, ...flags }
  const status = await runLive(given, io, { pauseMs: 1, pingWaitMs: 10_000 })
  return { status, out, err, printed: [...out, ...err].join('\n') }
}

async function storeWithToken(
  service: typeof sandbox,
): Promise<{ readonly store: string; readonly token: string }> {
  const env = { BROKERWIRE_STORE: temporaryStore() }
  const { out } = await service.run(['token', 'create', '--wait', '--reveal'], { env })
  return { store: env.BROKERWIRE_STORE, token: out.at(-1) ?? '' }
}

/** Strings that no record may contain. */
const privateOf = ({ env }: typeof sandbox): readonly string[] => [
  env.BROKERWIRE_APP_KEY ?? '',
  env.BROKERWIRE_APP_SECRET ?? '',
  ...(env.BROKERWIRE_ACCOUNTS ?? '').split(','),
]

test('the record has every question, and no secret, app key or account, even if the service sends them', async () => {
  const { store, token } = await storeWithToken(sandbox)
  const secrets = [...privateOf(sandbox), token]
  expect(secrets.filter((one) => one.length < 6)).toEqual([])
  const body = JSON.stringify({ error_code: secrets.join(' ') })
  const headers = { 'x-request-id': `${secrets[0]}-1` }
  const path = '/openapi/market-data/stock/snapshot'
  await sandbox.control.fault({ http: { kind: 'respond', status: 403, body, headers }, path })
  const output = join(await temporaryFolder(), 'record.json')
  const { status, out, printed } = await runQuickly(
    sandbox,
    { json: true, output },
    { env: { BROKERWIRE_STORE: store } },
  )
  expect(status).toBe(0)
  const record = JSON.parse(out.join('\n'))
  expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual(record)
  expect(statSync(output).mode & 0o777).toBe(0o600)
  expect(record).toMatchObject({
    schema: 1,
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    brokerwire: expect.any(String),
    environment: 'sandbox',
    region: 'us',
    requestsHost: sandbox.env.BROKERWIRE_BASE_URL,
    eventsHost: sandbox.env.BROKERWIRE_EVENTS_URL,
    app: expect.any(String),
    maxCalls: 23,
    complete: true,
  })
  const answers: readonly { question: string; answer: unknown }[] = record.answers
  expect(answers.map(({ question }) => question)).toEqual(QUESTION_NAMES)
  expect(answers.filter(({ answer }) => answer === null).map(({ question }) => question)).toEqual([
    'rate-limit-headers',
  ])
  const found = answers.find(({ question }) => question === 'market-data-paths')
  expect(found).toMatchObject({
    answer: { openapi: expect.stringMatching(/^403 .*\[secret\]/) },
    how: expect.any(String),
    requestIds: expect.arrayContaining([expect.stringMatching(/-1$/)]),
  })
  for (const secret of secrets) expect(`${printed}${readFileSync(output, 'utf8')}`).not.toContain(secret)
}, 60_000)

test('without a token and without --json the record has one line for each question, with the reason if there is no answer', async () => {
  const { status, out, err } = await runQuickly(sandbox, {}, { env: { BROKERWIRE_STORE: temporaryStore() } })
  expect(status).toBe(0)
  expect(out[0]).toBe('record                schema 1, complete')
  for (const question of QUESTION_NAMES)
    expect(out.filter((line) => line.startsWith(`${question} `))).toHaveLength(1)
  expect(out.find((line) => line.startsWith('token-paths'))).toMatch(
    /not answered: no usable token is stored: run `brokerwire token create --wait` before$/,
  )
  expect(out.find((line) => line.startsWith('stream-token'))).toMatch(/ not required to subscribe$/)
  expect(err[0]).toBe('measuring us sandbox with at most 23 calls. No token is created, and no order is sent')
  expect(err.filter((line) => /^call \d+ of at most 23: /.test(line)).length).toBeGreaterThan(8)
}, 60_000)

test('a proxy is not in the record, in any case of its name', () => {
  const record = createRecord(
    {
      answers: [
        createAnswer('stream-token', { reason: 'PROXY.example:3128 closed; secret-token; ACCOUNT-1' }, []),
      ],
      calls: 1,
      accounts: ['account-1'],
    },
    {
      date: new Date(0),
      brokerwire: '0.0.0',
      environment: 'sandbox',
      region: 'us',
      requestsHost: undefined,
      eventsHost: undefined,
      isComplete: true,
      appKey: 'app-key',
      appSecret: 'app-secret',
      secrets: ['Secret-Token'],
      proxies: ['proxy.example:3128', 'proxy.example'],
    },
  )
  const reason = record.answers[0]?.reason
  expect(reason).toMatch(/^\[proxy\] closed; \[secret\]; /)
  expect(reason).not.toMatch(/account-1/i)
})

describe('in production', () => {
  test('each step is confirmed, and a step that is not confirmed is not made', async () => {
    const asked: string[] = []
    const { status, out, err } = await runQuickly(
      production,
      { json: true },
      {
        confirm: (question) => {
          asked.push(question)
          return question.includes('requests')
        },
      },
    )
    expect(status).toBe(0)
    expect(asked).toEqual([
      expect.stringMatching(/^Production: send at most 17 requests that read\./),
      expect.stringMatching(/^Production: request at most 6 subscriptions, .* at most 3 stay open\./),
    ])
    expect(err.filter((line) => line.includes('trade subscription'))).toEqual([])
    const { answers } = JSON.parse(out.join(''))
    const stream = answers.find(({ question }: { question: string }) => question === 'stream-token')
    expect(stream).toMatchObject({ answer: null, reason: 'the step was not confirmed' })
  }, 60_000)

  test('it needs a terminal, and the flag', async () => {
    const asVariable = await production.run(['doctor', '--live'])
    expect(asVariable).toMatchObject({ status: 2, out: [] })
    expect(asVariable.err.join()).toMatch(
      /--environment must be given with --live, because BROKERWIRE_ENVIRONMENT names production/,
    )
    const withoutTerminal = await production.run(['doctor', '--live', '--environment', 'production'])
    expect(withoutTerminal).toMatchObject({ status: 2, out: [] })
    expect(withoutTerminal.err.join()).toMatch(/--environment must be sandbox without a terminal/)
  })
})

test.each(['https://api.webull.com', 'https://api.webull.com:8443', 'https://API.webull.com.'])(
  'the environment is the sandbox if none is set, and the host of production %s is rejected there',
  async (url) => {
    const env = { BROKERWIRE_ENVIRONMENT: '', BROKERWIRE_BASE_URL: url }
    const { status, err } = await sandbox.run(['doctor', '--live'], { env })
    expect(status).toBe(2)
    expect(err.join()).toContain(
      '--base-url must not be a host of production without --environment production; received https://',
    )
  },
)

test('Ctrl-C prints the record so far, with status 130', async () => {
  const controller = new AbortController()
  const { status, out } = await runQuickly(sandbox, { json: true }, { signal: controller.signal }, (line) => {
    if (line.startsWith('waiting for 2 pings')) controller.abort('SIGINT')
  })
  expect(status).toBe(130)
  const record = JSON.parse(out.join(''))
  expect(record.complete).toBe(false)
  expect(record.answers).toHaveLength(QUESTION_NAMES.length)
  expect(record.answers[0]).toMatchObject({ question: 'clock-offset', answer: expect.any(Object) })
}, 60_000)

test.each([
  [['--live', '--streams'], '--streams must not be given together with --live'],
  [['--output', 'record.json'], '--output must be given together with --live'],
])('%s is rejected', async (args, message) => {
  const { status, err } = await sandbox.run(['doctor', ...args])
  expect({ status, err: err.join() }).toEqual({ status: 2, err: expect.stringContaining(message) })
})

test('an output file that exists is not overwritten, and nothing is sent', async () => {
  const output = join(await temporaryFolder(), 'record.json')
  await expect(runQuickly(sandbox, { output: `${output}/missing` })).rejects.toMatchObject({
    code: 'CLI_INPUT_UNREADABLE',
  })
  expect(existsSync(output)).toBe(false)
  const { status, out, err } = await sandbox.run(['doctor', '--live', '--output', import.meta.filename])
  expect({ status, out }).toEqual({ status: 2, out: [] })
  expect(err.join()).toMatch(/must not exist yet/)
})

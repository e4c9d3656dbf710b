/** `brokerwire relay replay-dead-letters`: to a receiver in this process. */
import { mkdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyWebhook } from '@brokerwire/relay/webhook'
import { readBody, startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../test/run.ts'
import { temporaryFolder } from '../test/temporary.ts'

const SECRET = `whsec_${Buffer.from('a secret for the tests of a replay').toString('base64')}`

async function setUp(lines: readonly string[]) {
  const state = { statusOf: (_count: number) => 204 }
  const accepted: { readonly id: string; readonly type: string; readonly body: string }[] = []
  let count = 0
  const receiver = await startHttpServer(async (request, response) => {
    const body = await readBody(request)
    const result = await verifyWebhook({ headers: request.headers, body, secrets: SECRET })
    count += 1
    const status = result.ok ? state.statusOf(count) : 401
    if (result.ok && status === 204)
      accepted.push({
        id: result.id,
        type: String(request.headers['content-type']),
        body: body.toString(),
      })
    response.writeHead(status).end()
  })
  onTestFinished(() => receiver.close())
  const folder = await temporaryFolder()
  const file = join(folder, 'letters.jsonl')
  const secretFile = join(folder, 'webhook-secret')
  await writeFile(file, lines.map((line) => `${line}\n`).join(''))
  await writeFile(secretFile, `${SECRET}\n`, { mode: 0o600 })
  const replay = (...more: readonly string[]) =>
    run([
      'relay',
      'replay-dead-letters',
      file,
      '--forward-to',
      `${receiver.url}/events?key=topsecret`,
      '--webhook-secret-file',
      secretFile,
      ...more,
    ])
  return { state, accepted, file, replay }
}

const line = (id: string, events: readonly string[], batch = false): string =>
  `{"v":1,"stream":"s","atMs":1,"webhookId":"${id}","attempts":2,"reason":"status 500","batch":${batch},"events":[${events.join(',')}]}`

test('sends each line in order, with its webhook-id, its bytes and a valid signature', async () => {
  // Parsing and serializing would change both numbers.
  const event = '{"id":"1","data":{"price":1.10,"quantity":12345678901234567890}}'
  const { accepted, replay } = await setUp([
    line('msg_1', [event]),
    line('msg_2', ['{"id":"2"}', '{"id":"3"}'], true),
    line('msg_3', ['{"id":"4"}'], true),
  ])
  const { status, out, err } = await replay()
  expect({ status, lines: out.length }).toEqual({ status: 0, lines: 3 })
  expect(accepted).toEqual([
    { id: 'msg_1', type: 'application/cloudevents+json; charset=utf-8', body: event },
    {
      id: 'msg_2',
      type: 'application/cloudevents-batch+json; charset=utf-8',
      body: '[{"id":"2"},{"id":"3"}]',
    },
    { id: 'msg_3', type: 'application/cloudevents-batch+json; charset=utf-8', body: '[{"id":"4"}]' },
  ])
  expect([...out, ...err].join('\n')).not.toMatch(/whsec_|topsecret/)
})

test('retries a request, stops at the last attempt, and continues with that line in the next run', async () => {
  const { state, accepted, file, replay } = await setUp([
    line('msg_1', ['{"id":"1"}']),
    line('msg_2', ['{"id":"2"}']),
    line('msg_3', ['{"id":"3"}']),
  ])
  state.statusOf = (count) => (count === 1 || count > 2 ? 503 : 204)
  const first = await replay('--max-attempts', '2')
  expect(first.status).toBe(75)
  expect(first.err.at(-1)).toContain('line 2')
  expect(accepted.map(({ id }) => id)).toEqual(['msg_1'])
  expect(JSON.parse(await readFile(`${file}.position`, 'utf8'))).toEqual({
    v: 1,
    line: 1,
    webhookId: 'msg_1',
  })

  state.statusOf = () => 204
  expect(await replay()).toMatchObject({ status: 0 })
  expect(accepted.map(({ id }) => id)).toEqual(['msg_1', 'msg_2', 'msg_3'])
  expect(await replay()).toMatchObject({ status: 0, out: [] })
})

test('ends after 410 Gone without another attempt', async () => {
  const { state, replay } = await setUp([line('msg_1', ['{"id":"1"}'])])
  state.statusOf = () => 410
  const { status, out } = await replay()
  expect({ status, attempts: out.length }).toEqual({ status: 1, attempts: 1 })
})

test('rejects the position of another file, and sends nothing', async () => {
  const { accepted, file, replay } = await setUp([line('msg_1', ['{"id":"1"}'])])
  await writeFile(`${file}.position`, '{"v":1,"line":1,"webhookId":"msg_9"}')
  const { status, err } = await replay()
  expect({ status, accepted }).toEqual({ status: 2, accepted: [] })
  expect(err.at(-1)).toContain('letters.jsonl.position')
})

test('sends nothing if the position cannot be read or a webhook-id cannot be signed', async () => {
  const { accepted, file, replay } = await setUp([
    line('msg_1', ['{"id":"1"}']),
    line('msg 2', ['{"id":"2"}']),
  ])
  const { status, err } = await replay()
  expect({ status, accepted }).toEqual({ status: 2, accepted: [] })
  expect(err.at(-1)).toContain(
    'letters.jsonl line 2 must have 1 to 256 visible ASCII characters in webhookId',
  )

  await writeFile(file, `${line('msg_1', ['{"id":"1"}'])}\n`)
  await mkdir(`${file}.position`)
  expect(await replay()).toMatchObject({ status: 2 })
  expect(accepted).toEqual([])
})

test('reports a position that cannot be written, and the line that is sent again', async () => {
  const { state, accepted, file, replay } = await setUp([line('msg_1', ['{"id":"1"}'])])
  state.statusOf = () => {
    mkdirSync(`${file}.position`)
    return 204
  }
  const { status, err } = await replay()
  expect({ status, accepted: accepted.length }).toEqual({ status: 2, accepted: 1 })
  expect(err.at(-1)).toMatch(
    /letters\.jsonl\.position cannot be written: \w+\. The next run sends line 1 again$/,
  )
})

test('skips a line that a killed relay left incomplete, and reports it', async () => {
  const whole = line('msg_1', ['{"id":"1"}'])
  const { accepted, replay } = await setUp([whole.slice(0, 60), whole, whole.slice(0, 3)])
  const { status, err } = await replay()
  expect({ status, accepted: accepted.length }).toEqual({ status: 0, accepted: 1 })
  expect(err[0]).toContain('line 1 is incomplete')
  expect(err[1]).toContain('line 3 is incomplete')
})

test.each([
  [['--forward-to', 'http://example.com/'], '--forward-to must be an https: URL'],
  [['--forward-to', 'https://user:password@example.com/'], '--forward-to must be an https: URL'],
  [['--max-attempts', '0'], '--max-attempts'],
])('rejects %j', async (flags, message) => {
  const { replay } = await setUp([line('msg_1', ['{"id":"1"}'])])
  const { status, err } = await replay(...flags)
  expect(status).toBe(2)
  expect(err.at(-1)).toContain(message)
})

/** `brokerwire listen --forward-to`: webhooks to a receiver in this process. */
import { verifyWebhook } from '@brokerwire/relay/webhook'
import { readBody, startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../test/service.ts'
import { temporaryFile } from '../test/temporary.ts'

const service = await startService('--interval', '5', '--rate-limit', 'off')
const SECRET = `whsec_${Buffer.from('a secret for the tests of listen').toString('base64')}`

async function startReceiver(statusOf: (count: number) => number = () => 204) {
  const requests: { readonly headers: Record<string, string>; readonly body: Buffer }[] = []
  const receiver = await startHttpServer(async (request, response) => {
    const body = await readBody(request)
    requests.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(statusOf(requests.length)).end()
  })
  onTestFinished(() => receiver.close())
  return { ...receiver, requests }
}

test('prints a secret once, sends signed events, and prints a line for each attempt', async () => {
  const { url, requests } = await startReceiver((count) => (count === 1 ? 500 : 204))
  const args = ['listen', 'module', '--count', '3', '--forward-to', `${url.slice('http://'.length)}/events`]
  const { status, out, err } = await service.run(args)
  expect({ status, err: err.length }).toEqual({ status: 0, err: 1 })
  const secret = /whsec_\S+/.exec(err[0] ?? '')?.[0] ?? ''
  for (const { headers, body } of requests)
    expect(await verifyWebhook({ headers, body, secrets: secret })).toMatchObject({ ok: true })
  const payloads = requests
    .map(({ body }) => JSON.parse(body.toString()))
    .filter(({ data }) => data.type !== 'notice')
  expect(payloads).toHaveLength(3)
  const attempts = out.filter((line) => line.includes(' webhook '))
  expect(attempts).toHaveLength(requests.length)
  expect(attempts[0]).toMatch(/webhook {3}status 500 at attempt 1 {2}msg_\S{27} {2}\d+ ms$/)
  expect(attempts[1]).toMatch(/webhook {3}204 {2}msg_/)
  expect(out.join('\n')).not.toContain(secret)
}, 60_000)

test('uses the secret of a file, and does not print it', async () => {
  const { url, requests } = await startReceiver()
  const file = await temporaryFile('webhook-secret', `${SECRET}\n`)
  const args = [
    'listen',
    'trade',
    '--count',
    '1',
    '--json',
    '--forward-to',
    url,
    '--webhook-secret-file',
    file,
  ]
  const { status, out, err } = await service.run(args)
  expect(status).toBe(0)
  expect([...out, ...err].join('\n')).not.toContain('whsec_')
  for (const line of out) expect(JSON.parse(line).stream).toBe('trade')
  expect(err.at(-1)).toContain('204  msg_')
  const [first] = requests
  expect(first && (await verifyWebhook({ ...first, secrets: SECRET }))).toMatchObject({ ok: true })
}, 60_000)

test('ends at its time limit while the receiver fails', async () => {
  const { url } = await startReceiver(() => 503)
  const { status, err } = await service.run([
    'listen',
    'module',
    '--timeout',
    '2s',
    '--count',
    '1000',
    '--forward-to',
    url,
  ])
  expect(status).toBe(75)
  expect(err.at(-1)).toContain('CLI_TIMED_OUT')
}, 60_000)

test.each([
  [['--forward-to', 'http://example.com/events'], '--forward-to must be an https: URL'],
  [['--forward-to', 'ftp://localhost/'], '--forward-to must be an https: URL'],
  [['--webhook-secret-file', 'x'], '--forward-to'],
])('rejects %j', async (flags, message) => {
  const { status, err } = await service.run(['listen', 'module', '--count', '1', ...flags])
  expect(status).not.toBe(0)
  expect(err.at(-1)).toContain(message)
})

test('rejects a file without a secret of webhooks, and does not show its text', async () => {
  const file = await temporaryFile('webhook-secret', 'topsecret\n')
  const flags = ['--forward-to', 'localhost:1', '--webhook-secret-file', file]
  const { status, err } = await service.run(['listen', 'module', ...flags])
  expect(status).not.toBe(0)
  expect(err.at(-1)).toContain('--webhook-secret-file[0] must be "whsec_"')
  expect(err.join('\n')).not.toContain('topsecret')
})

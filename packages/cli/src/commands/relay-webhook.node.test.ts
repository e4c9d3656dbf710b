/** `brokerwire relay` with webhooks, as a process, with the simulator as another process and a receiver in this one. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyWebhook } from '@brokerwire/relay/webhook'
import { readBody, startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { SLOW, startRelay } from '../test/relay-process.ts'
import { run } from '../test/run.ts'
import { startService } from '../test/service.ts'
import { temporaryFolder } from '../test/temporary.ts'

const service = await startService('--scenario', 'none')
const secretOf = (text: string): string => `whsec_${Buffer.from(text.repeat(3)).toString('base64')}`
const OLD = secretOf('the old secret')
const NEW = secretOf('the new secret')

async function setUp(change: object = {}) {
  const state = { status: 204, secret: OLD }
  const events: { readonly id: string; readonly webhookId: string; readonly text: string }[] = []
  const receiver = await startHttpServer(async (request, response) => {
    const body = await readBody(request)
    const result = await verifyWebhook({ headers: request.headers, body, secrets: state.secret })
    const status = result.ok ? state.status : 401
    if (result.ok && status === 204)
      events.push({ id: JSON.parse(body.toString()).id, webhookId: result.id, text: body.toString() })
    response.writeHead(status).end()
  })
  onTestFinished(() => receiver.close())
  const folder = await temporaryFolder()
  const file = join(folder, 'relay.json')
  const secretFile = join(folder, 'webhook-secret')
  await writeFile(secretFile, `${OLD}\n`, { mode: 0o600 })
  const { env } = service
  const config = {
    apps: [
      {
        name: 'team-a',
        region: env.BROKERWIRE_REGION,
        environment: env.BROKERWIRE_ENVIRONMENT,
        appKey: { env: 'BROKERWIRE_APP_KEY' },
        appSecret: { env: 'BROKERWIRE_APP_SECRET' },
        modules: ['application'],
        moduleEventsUrl: env.BROKERWIRE_MODULE_EVENTS_URL,
        baseUrl: env.BROKERWIRE_BASE_URL,
      },
    ],
    sink: {
      type: 'webhook',
      url: `${receiver.url}/events?key=topsecret`,
      secret: { file: secretFile },
      maxRetryWaitMs: 200,
      allowPrivateAddresses: true,
      ...change,
    },
    store: { type: 'file', directory: join(folder, 'state') },
    health: { port: 0 },
    slotLingerMs: 0,
  }
  await writeFile(file, JSON.stringify(config))
  const emit = () => service.control.emit({ module: { module: 'application' } })
  const isPayload = ({ text }: { readonly text: string }) => text.includes('brokerwire.event')
  return { state, events, folder, file, secretFile, emit, payloads: () => events.filter(isPayload) }
}

test('sends events as webhooks, and continues in a second run without a loss', async () => {
  const { state, payloads, file, emit, events } = await setUp()
  state.status = 503
  const first = startRelay(['--config', file], service.env)
  // The relay subscribes although its receiver accepts nothing.
  await first.said('stream.subscribed')
  await first.said('sink.waiting')
  await emit()
  state.status = 204
  await expect.poll(() => payloads().length, SLOW).toBe(1)
  await emit()
  await expect.poll(() => payloads().length, SLOW).toBe(2)
  expect(await first.stop()).toEqual([0, null])
  await emit()
  const second = startRelay(['--config', file], service.env)
  await expect.poll(() => payloads().length, SLOW).toBe(3)
  expect(await second.stop()).toEqual([0, null])
  expect(new Set(payloads().map(({ webhookId }) => webhookId)).size).toBe(3)
  expect(events.some(({ text }) => text.includes('writer-changed'))).toBe(false)
  const texts = [...first.texts, ...second.texts].join('\n')
  for (const secret of [OLD, OLD.slice(6), 'topsecret', service.env.BROKERWIRE_APP_SECRET])
    expect(texts).not.toContain(secret)
}, 120_000)

test('uses a secret that is replaced in its file, without a restart', async () => {
  const { state, payloads, file, secretFile, emit } = await setUp()
  const relay = startRelay(['--config', file], service.env)
  await relay.said('stream.subscribed')
  await emit()
  await expect.poll(() => payloads().length, SLOW).toBe(1)
  await writeFile(`${secretFile}.next`, `${NEW}\n${OLD}\n`, { mode: 0o600 })
  await rename(`${secretFile}.next`, secretFile)
  state.secret = NEW
  // Until the file is read again, the receiver rejects the signature, and the relay retries.
  await emit()
  await expect.poll(() => payloads().length, SLOW).toBe(2)
  expect(await relay.stop()).toEqual([0, null])
}, 120_000)

test('logs the file of dead letters', async () => {
  const directory = join(await temporaryFolder(), 'dead')
  const { state, file, emit } = await setUp({ deadLetters: { directory, afterMs: 300 } })
  const relay = startRelay(['--config', file], service.env)
  await relay.said('stream.subscribed')
  state.status = 422
  await emit()
  await relay.said('webhook.dead-letter')
  const region = service.env.BROKERWIRE_REGION
  const name = `brokerwire_${service.env.BROKERWIRE_ENVIRONMENT}_${region}_team-a.dead-letters.jsonl`
  expect(await readFile(join(directory, name), 'utf8')).toContain('"reason":"status 422"')
  expect(await relay.stop()).toEqual([0, null])
}, 120_000)

test('--check reads the secret, and sends no request', async () => {
  const { file, secretFile, events } = await setUp()
  const { env } = service
  expect((await run(['relay', '--config', file, '--check'], { env })).status).toBe(0)
  await writeFile(secretFile, `${OLD}\nwhsec_tooshort\n`)
  const wrong = await run(['relay', '--config', file, '--check'], { env })
  expect(wrong.status).not.toBe(0)
  expect(wrong.err.join('\n')).toMatch(/sink\.secret\[1\].*must be "whsec_"/)
  expect(wrong.err.join('\n')).not.toContain('tooshort')
  expect(events).toEqual([])
})

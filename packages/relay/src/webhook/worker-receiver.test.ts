/** The receiver of docs/guides/relay-webhooks.md for Workers. */
import { expect, test } from 'vitest'
import worker from '../test/receivers/worker.ts'
import { signWebhook } from './sign-webhook.ts'

const SECRET = `whsec_${btoa('0123456789abcdefghijklmnopqrstuv')}`

test('the Worker passes a valid event to its queue, and rejects others', async () => {
  const sent: unknown[] = []
  const env = { WEBHOOK_SECRET: SECRET, EVENTS: { send: async (message: unknown) => sent.push(message) } }
  const body = new TextEncoder().encode('{"type":"a"}')
  const headers = await signWebhook({ id: 'msg_1', body, secrets: SECRET })
  const request = (bytes: Uint8Array<ArrayBuffer>) =>
    new Request('https://example.com/events', { method: 'POST', headers, body: bytes })
  expect((await worker.fetch(request(body), env)).status).toBe(204)
  expect(sent).toEqual([{ id: 'msg_1', event: { type: 'a' } }])
  const forged = await worker.fetch(request(new TextEncoder().encode('{"type":"b"}')), env)
  expect([forged.status, await forged.text(), sent.length]).toEqual([401, 'signature', 1])
})

/** A webhook sink and its receiver, for tests. They are closed when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '@brokerwire/stores'
import { onTestFinished } from 'vitest'
import { createWebhookSink } from '../webhook-sink/webhook-sink.ts'
import type { WebhookSinkOptions } from '../webhook-sink/webhook-sink-options.ts'
import { ADDRESS } from './entries.ts'
import { startWebhookReceiver, WEBHOOK_SECRET } from './webhook-receiver.ts'

export async function setUpWebhooks(...responding: Parameters<typeof startWebhookReceiver>) {
  const receiver = await startWebhookReceiver(...responding)
  onTestFinished(() => receiver.close())
  const store = createMemoryStore()
  const open = (options: Partial<WebhookSinkOptions> = {}) => {
    const sink = createWebhookSink({
      address: ADDRESS,
      url: `${receiver.url}/events`,
      secrets: WEBHOOK_SECRET,
      store,
      allowPrivateAddresses: true,
      maxRetryWaitMs: 5,
      ...options,
    })
    onTestFinished(() => sink.close())
    return sink
  }
  return { receiver, store, open }
}

export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'brokerwire-webhook-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

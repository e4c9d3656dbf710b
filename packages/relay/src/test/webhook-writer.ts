/** A process that sends events 1 to TOTAL as webhooks, and continues after the last one that the record has. For a test that kills it. */
import { createFileStore } from '@brokerwire/stores/file'
import { createWebhookSink } from '../webhook-sink/webhook-sink.ts'
import { ADDRESS, entries } from './entries.ts'

const [directory = '', url = '', secrets = '', total = ''] = process.argv.slice(2)
const sink = createWebhookSink({
  address: ADDRESS,
  url,
  secrets,
  store: createFileStore({ directory }),
  allowPrivateAddresses: true,
  timeoutMs: 200,
  maxRetryWaitMs: 20,
})
const { sequence } = await sink.tail({ maxEntries: 0 })
const calls: Promise<unknown>[] = []
for (let next = sequence + 1; next <= Number(total); next += 7)
  calls.push(sink.publish(entries(next, Math.min(next + 6, Number(total)))))
await Promise.all(calls)
await sink.close()

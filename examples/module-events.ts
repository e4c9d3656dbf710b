/**
 * Prints module events of funding and journals, until stopped. A restart continues after the last handled event.
 *
 * An event is acknowledged after its work is done. After a crash, events that were not committed arrive again.
 */
import { createBrokerage } from '@brokerwire/client'
import { createFileStore } from '@brokerwire/stores/file'

/** Your work. It must be idempotent by `id`. */
async function handle(id: string, payload: string): Promise<void> {
  console.log(`${id}: ${payload}`)
}

await using brokerage = createBrokerage({
  region: 'us',
  environment: 'sandbox',
  appKey: process.env.BROKERWIRE_APP_KEY ?? '',
  appSecret: process.env.BROKERWIRE_APP_SECRET ?? '',
  // Set these two variables for a local simulator only.
  overrides: {
    baseUrl: process.env.BROKERWIRE_BASE_URL,
    moduleEventsUrl: process.env.BROKERWIRE_MODULE_EVENTS_URL,
  },
  store: createFileStore({ directory: process.env.BROKERWIRE_STORE ?? '.brokerwire' }),
})
await brokerage.accessTokens.get()
const events = brokerage.moduleEvents({ modules: ['funding', 'journal'], ack: 'manual' })
// `return()` ends the loop below, like `break`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => events.return())

for await (const item of events) {
  if (item.type === 'notice') {
    console.log(item.kind === 'gap' ? `-- gap: ${item.cause}` : `-- ${item.kind}`)
  } else if (item.type === 'undecodable') {
    console.log(`-- a message of ${item.length} bytes cannot be decoded: ${item.message}`)
  } else {
    await handle(item.id, item.payload)
    item.ack()
  }
}

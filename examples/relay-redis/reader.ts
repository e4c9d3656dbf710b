/**
 * Reads the events of an app from the stream of a relay in Redis, with a consumer group. Start several processes with other names
 * in `CONSUMER` to share the work. A message that a process did not acknowledge is processed again.
 */
import { payloads } from '@brokerwire/payloads'
import { parseItem } from '@brokerwire/relay'
import { createClient } from 'redis'

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  STREAM = 'brokerwire_sandbox_us_team-a',
  GROUP = 'billing',
  CONSUMER = 'worker-1',
} = process.env
/** After this time without an acknowledgement, a message of another process is processed here. */
const CLAIM_AFTER_MS = 60_000
const COUNT = 100

type Fields = Readonly<Record<string, string>>
interface Message {
  readonly id: string
  readonly message: Fields
}

const client = createClient({ url: REDIS_URL })
client.on('error', (error: Error) => console.error('redis:', error.name))
await client.connect()
await client.xGroupCreate(STREAM, GROUP, '0', { MKSTREAM: true }).catch((error: Error) => {
  if (!error.message.startsWith('BUSYGROUP')) throw error
})

async function handle(messages: readonly Message[]): Promise<void> {
  for (const { id, message } of messages) {
    const headers = JSON.parse(message.headers ?? '{}') as Fields
    const item = parseItem(
      {
        subject: message.subject ?? '',
        getHeader: (name: string) => headers[name],
        body: message.body ?? '',
        data: message.data === undefined ? undefined : Buffer.from(message.data, 'base64'),
      },
      payloads,
      () => {},
    )
    // To apply each event exactly once, store the field `key` with the result, and skip a key that you have stored.
    console.log(
      item.type === 'event' ? `${id} ${item.kind} ${item.payload}` : `${id} ${item.type} ${item.kind}`,
    )
    await client.xAck(STREAM, GROUP, id)
  }
}

/** Reads messages: those that this consumer did not acknowledge (`0`), or new ones (`>`). Returns their number. */
async function readFrom(id: '0' | '>'): Promise<number> {
  const options = id === '0' ? { COUNT } : { COUNT, BLOCK: 5000 }
  const reply = (await client.xReadGroup(GROUP, CONSUMER, { key: STREAM, id }, options)) as
    | { readonly messages: Message[] }[]
    | null
  const messages = reply?.[0]?.messages ?? []
  await handle(messages)
  return messages.length
}

while ((await readFrom('0')) > 0);
console.log('reading')
for (;;) {
  await readFrom('>')
  const { messages } = await client.xAutoClaim(STREAM, GROUP, CONSUMER, CLAIM_AFTER_MS, '0-0', { COUNT })
  await handle(messages.filter((message) => message !== null) as Message[])
}

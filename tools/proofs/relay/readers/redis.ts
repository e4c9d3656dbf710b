/** A reader of Redis Streams: a consumer of a group, as docs/guides/relay-redis.md describes it. */
import { payloads } from '@brokerwire/payloads'
import { parseItem, streamName } from '@brokerwire/relay'
import { createClient } from 'redis'
import type { StreamAddress } from '../../../../packages/relay/src/wire/subjects.ts'
import type { Items } from '../reader-process.ts'
import { retrying } from './retrying.ts'

interface Row {
  readonly id: string
  readonly message: Readonly<Record<string, string>>
}

const RESPONSE_MS = 5000
/** Ids of a read: messages that are not acknowledged, and new ones. */
const [PENDING, NEW] = ['0', '>']

export async function* readRedis(port: number, address: StreamAddress, group: string): Items {
  const stream = streamName(address)
  const client = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: 50, socketTimeout: RESPONSE_MS },
    disableOfflineQueue: true,
  })
  client.on('error', () => {})
  void client.connect().catch(() => {})
  let from = PENDING
  const next = async (): Promise<readonly Row[]> => {
    try {
      const found = await client.xReadGroup(
        group,
        'one',
        { key: stream, id: from },
        { COUNT: 100, BLOCK: 200 },
      )
      return (found as readonly { readonly messages: readonly Row[] }[] | null)?.[0]?.messages ?? []
    } catch (error) {
      // The messages of a lost response are pending.
      from = PENDING
      // A new stream has no group, and a promoted replica may not have it yet.
      if (String(error).includes('NOGROUP')) await client.xGroupCreate(stream, group, '0').catch(() => {})
      throw error
    }
  }
  for (;;) {
    const rows = await retrying(next)
    for (const { id, message } of rows) {
      const { subject = '', body = '' } = message
      const headers = JSON.parse(message.headers ?? '{}') as Record<string, string>
      yield parseItem({ subject, getHeader: (name) => headers[name], body }, payloads, () => {})
      // If this fails, the message stays pending.
      await client.xAck(stream, group, id).catch(() => {
        from = PENDING
      })
    }
    if (rows.length === 0) from = NEW
  }
}

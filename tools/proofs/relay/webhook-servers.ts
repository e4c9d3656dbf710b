/** A receiver of webhooks. Its file of handled requests is the stream. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, startChild } from '@brokerwire/testing/child'
import type { RedisServer } from '@brokerwire/testing/redis'
import { streamName } from '../../../packages/relay/src/wire/subjects.ts'
import { recovered } from '../wait.ts'
import { connectSinks, type SinkPlace } from './sink-place.ts'
import type { StreamServers } from './stream-servers.ts'
import { countCopies, type Delivery, toMessages } from './webhook-deliveries.ts'
import type { ReceiverCommands } from './webhook-receiver-process.ts'

/** @param seed - Seed of the receiver's failures. */
export async function startWebhookServers(store: RedisServer, seed: number): Promise<StreamServers> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-receiver-'))
  const file = join(folder, 'handled.txt')
  let starts = 0
  let port = 0
  let receiver: Child<ReceiverCommands> | undefined
  const kill = async (): Promise<void> => receiver?.kill()
  const restart = async (): Promise<void> => {
    await kill()
    receiver = await startChild<ReceiverCommands>(new URL('webhook-receiver-process.ts', import.meta.url))
    port = await receiver.call('start', { port, secret, file, seed: seed + starts })
    starts += 1
  }
  await restart()
  const place = ([to = port]: readonly number[], storePort: number): SinkPlace => ({
    kind: 'webhook',
    port: to,
    secret,
    storePort,
  })
  const sinks = await connectSinks(place([port], store.port))
  const read = (stream: string): Delivery[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Delivery)
      .filter((delivery) => delivery.stream === stream)
  return {
    nodes: [{ port, kill, restart }],
    place,
    sinks,
    leaderOf: async () => 0,
    isReplicated: async () => true,
    lastEvent: (address, subscription) =>
      recovered(
        'the receiver',
        async () => (await receiver?.call('last', streamName(address), subscription)) ?? '',
      ),
    read: async (stream) => toMessages(read(stream)),
    countCopies: async (stream) => countCopies(read(stream)),
    async close() {
      await sinks.close()
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

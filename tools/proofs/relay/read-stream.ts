/**
 * Everything that stands in a stream, read with the bare client once all is quiet: message by message, from the stream's
 * leader. A consumer of a server 2.9.10 reads what the server has that leads the consumer, and a follower that was killed
 * and restarted was seen to end 1,566 messages early while the cluster called it current.
 */
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { StoredMessage } from './judge.ts'

/** Real time: of a cluster that is whole, and a machine that is busy. */
const ANSWER_MS = 60_000
/** Requests at once. */
const AHEAD = 256

/** @param stream - Its name. */
export async function readStream(connection: NatsConnection, stream: string): Promise<StoredMessage[]> {
  const { streams } = await jetstreamManager(connection, { timeout: ANSWER_MS })
  const { state } = await streams.info(stream)
  if (state.messages === 0) return []
  const messages: StoredMessage[] = []
  const text = new TextDecoder('utf-8', { ignoreBOM: true })
  for (let from = state.first_seq; from <= state.last_seq; from += AHEAD) {
    const sequences = Array.from({ length: Math.min(AHEAD, state.last_seq - from + 1) }, (_, at) => from + at)
    const found = await Promise.all(sequences.map((seq) => streams.getMessage(stream, { seq })))
    for (const message of found) {
      if (message === null) continue
      const { header, seq, time, data } = message
      messages.push({
        sequence: seq,
        storedAtMs: time.getTime(),
        headers: Object.fromEntries(header.keys().map((name) => [name, header.get(name)])),
        id: header.get('Nats-Msg-Id'),
        body: text.decode(data),
      })
    }
  }
  return messages
}

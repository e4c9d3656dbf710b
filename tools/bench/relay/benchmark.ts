/**
 * Writing to JetStream and reading from it, and writing to Postgres and Redis, compared with the bare clients, with
 * the same messages on the same servers.
 */
import { medians, type Options, type Results, ratioByRound } from '../benchmark.ts'
import { measureProgram } from '../programs.ts'
import type { RelayCommands } from './relay-process.ts'
import type { SinkCommands } from './sinks-process.ts'

export const goals = {
  'relay.publish.vs_js_publish': { atLeast: 1 },
  'relay.publish.vs_own_inbox': { atLeast: 0.5 },
  'relay.consume.vs_bare': { atLeast: 0.7 },
  'relay.postgres.vs_bare': { atLeast: 0.7 },
  'relay.redis.vs_bare': { atLeast: 0.7 },
}

export async function run({ quick }: Options): Promise<Results> {
  const { published, consumed } = await measureProgram<RelayCommands>(
    new URL('relay-process.ts', import.meta.url),
    quick ? 3 : 15,
    quick ? 1000 : 5000,
  )
  const stored = await measureProgram<SinkCommands>(
    new URL('sinks-process.ts', import.meta.url),
    quick ? 3 : 15,
    quick ? 1000 : 5000,
  )
  return {
    tables: [
      medians('a message is written', 'µs', published, 1),
      medians('a message is read', 'µs', consumed, 1),
      medians('a message is stored', 'µs', stored, 1),
    ],
    ratios: {
      'relay.publish.vs_js_publish': ratioByRound(published, 'js', 'ours'),
      'relay.publish.vs_own_inbox': ratioByRound(published, 'inbox', 'ours'),
      'relay.consume.vs_bare': ratioByRound(consumed, 'bare', 'ours'),
      'relay.postgres.vs_bare': ratioByRound(stored, 'postgres, bare', 'postgres, ours'),
      'relay.redis.vs_bare': ratioByRound(stored, 'redis, bare', 'redis, ours'),
    },
  }
}

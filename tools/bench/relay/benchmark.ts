/**
 * Writing to JetStream and reading from it, and writing to Postgres and Redis, compared with the bare clients, with
 * the same messages on the same servers. The latency is that of a whole relay, from the service to a reader.
 */
import { medians, type Options, type Results, type Rounds, ratioByRound } from '../benchmark.ts'
import { measureProgram, withPrograms } from '../programs.ts'
import type { LatencyCommands } from './latency-process.ts'
import type { WriterCommands } from './latency-writer-process.ts'
import type { RelayCommands } from './relay-process.ts'
import type { SinkCommands } from './sinks-process.ts'

export const goals = {
  'relay.publish.vs_js_publish': { atLeast: 1 },
  'relay.publish.vs_own_inbox': { atLeast: 0.5 },
  'relay.consume.vs_bare': { atLeast: 0.7 },
  'relay.postgres.vs_bare': { atLeast: 0.7 },
  'relay.redis.vs_bare': { atLeast: 0.7 },
}

const SINKS = ['jetstream', 'postgres', 'redis']

function measureLatency(rounds: number, events: number) {
  return withPrograms(async (start) => {
    const service = await start<LatencyCommands>(new URL('latency-process.ts', import.meta.url))
    const writer = await start<WriterCommands>(new URL('latency-writer-process.ts', import.meta.url))
    const options = await service.call('open')
    await writer.call('start', options)
    return service.call('measure', options, rounds, events)
  })
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
  const { p50, p99 } = await measureLatency(quick ? 3 : 15, quick ? 320 : 1600)
  const bySink = (name: string, rounds: Rounds): Results['ratios'] =>
    Object.fromEntries(
      SINKS.map((sink) => [
        `relay.${sink}.${name}.vs_bare`,
        ratioByRound(rounds, `${sink}, bare`, `${sink}, ours`),
      ]),
    )
  return {
    tables: [
      medians('a message is written', 'µs', published, 1),
      medians('a message is read', 'µs', consumed, 1),
      medians('a message is stored', 'µs', stored, 1),
      medians('an event reaches a reader, p50', 'ms', p50),
      medians('an event reaches a reader, p99', 'ms', p99),
    ],
    ratios: {
      'relay.publish.vs_js_publish': ratioByRound(published, 'js', 'ours'),
      'relay.publish.vs_own_inbox': ratioByRound(published, 'inbox', 'ours'),
      'relay.consume.vs_bare': ratioByRound(consumed, 'bare', 'ours'),
      'relay.postgres.vs_bare': ratioByRound(stored, 'postgres, bare', 'postgres, ours'),
      'relay.redis.vs_bare': ratioByRound(stored, 'redis, bare', 'redis, ours'),
      ...bySink('p50', p50),
      ...bySink('p99', p99),
    },
  }
}

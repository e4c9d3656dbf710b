/**
 * Readers of relays' streams in their own process. A reader writes each item to a file before it requests the
 * next one.
 */
import { openSync, writeSync } from 'node:fs'
import type { RelayItem } from '@brokerwire/relay'
import { serveCalls } from '@brokerwire/testing/child-calls'
import type { StreamAddress } from '../../../packages/relay/src/wire/subjects.ts'
import { readEventLog } from '../faults/event-log.ts'
import type { SinkPlace } from './sink-place.ts'

export interface ReaderOptions {
  readonly place: SinkPlace
  readonly address: StreamAddress
  /** Name of the durable consumer, or of the consumer group. */
  readonly name: string
  readonly eventLog: string
}

/** The items of a stream. An item may be delivered again. */
export type Items = AsyncIterable<RelayItem<unknown>>

let failure: string | null = null

/** Opens the stream. A process loads only the client that it uses. */
async function open({ place, address, name, eventLog }: ReaderOptions): Promise<Items> {
  switch (place.kind) {
    case 'jetstream': {
      const { readJetStream } = await import('./readers/jetstream.ts')
      return readJetStream(place, address, name)
    }
    case 'redis': {
      const { readRedis } = await import('./readers/redis.ts')
      return readRedis(place.port, address, name)
    }
    case 'postgres': {
      const { readPostgres } = await import('./readers/postgres.ts')
      return readPostgres(place.port, address, `${eventLog}.position`)
    }
    default:
      throw new Error(`a stream of kind ${place.kind} cannot be read`)
  }
}

/** Reads until the process ends. */
async function read(options: ReaderOptions): Promise<void> {
  const file = openSync(options.eventLog, 'a', 0o600)
  // Delivery is at least once: an event that is in the file was handled before.
  const handled = new Set(readEventLog(options.eventLog).ids)
  for await (const item of await open(options)) {
    if (item.type !== 'event') writeSync(file, `N ${JSON.stringify(item)}\n`)
    else {
      const id = item.service === 'module' ? item.id : item.requestId
      if (options.place.kind !== 'jetstream' && handled.has(id)) continue
      handled.add(id)
      writeSync(file, `E ${id}\n`)
    }
  }
}

const commands = {
  start(options: ReaderOptions): void {
    read(options).catch((error: unknown) => {
      failure = String(error)
    })
  },
  failure: () => failure,
}

export type ReaderCommands = typeof commands

serveCalls(commands)

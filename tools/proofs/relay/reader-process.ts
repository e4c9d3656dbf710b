/**
 * A reader of a relay's stream in its own process. It writes each item to a file before it requests the next
 * one.
 */
import { openSync, writeSync } from 'node:fs'
import { consumeRelay } from '@brokerwire/relay/nats'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { StreamAddress } from '../../../packages/relay/src/wire/subjects.ts'

export interface ReaderOptions {
  readonly natsPort: number
  readonly address: StreamAddress
  readonly durableName: string
  readonly eventLog: string
}

let failure: string | null = null

async function read({ natsPort, address, durableName, eventLog }: ReaderOptions): Promise<void> {
  const file = openSync(eventLog, 'a', 0o600)
  const connection = await connect({
    servers: `127.0.0.1:${natsPort}`,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
  })
  for await (const item of consumeRelay({ js: jetstream(connection), address, durableName })) {
    if (item.type === 'event') writeSync(file, `E ${item.service === 'module' ? item.id : item.requestId}\n`)
    else writeSync(file, `N ${JSON.stringify(item)}\n`)
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

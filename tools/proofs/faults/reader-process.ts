/** A consumer that counts, in a process of its own, so that its memory can be measured. */
import { createSigner } from '@brokerwire/signer'
import { createStreams } from '@brokerwire/streams'
import { serveCalls } from './child.ts'

/** What it reads. */
export interface ReaderOptions {
  readonly url: string
  readonly service: 'trade' | 'module'
  /** After so many events it never asks for another one. */
  readonly stopAfter?: number
}

let events = 0
let notices = 0
let failure: string | null = null
let peakBytes = 0

async function read({ url, service, stopAfter }: ReaderOptions): Promise<void> {
  const signer = createSigner({ appKey: 'faults', appSecret: 'of-nobody' })
  const streams = createStreams({ signer, eventsUrl: url, moduleEventsUrl: url })
  const stream =
    service === 'trade'
      ? streams.tradeEvents({ accounts: ['A'] })
      : streams.moduleEvents({ modules: ['application'] })
  for await (const item of stream) {
    if (item.type === 'notice') notices += 1
    else events += 1
    if (events === stopAfter) await new Promise(() => {})
  }
}

const commands = {
  start(options: ReaderOptions): void {
    setInterval(() => {
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
    }, 20).unref()
    read(options).catch((error: unknown) => {
      failure = String(error)
    })
  },
  /** Memory at its highest since the last call. */
  figures() {
    const figures = { events, notices, failure, peakBytes: Math.max(peakBytes, process.memoryUsage.rss()) }
    peakBytes = 0
    return figures
  },
}

/** What the process offers. */
export type ReaderCommands = typeof commands

serveCalls(commands)

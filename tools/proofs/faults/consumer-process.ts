/**
 * A consumer, in a process of its own, so that it can be killed.
 *
 * What it handled goes to a file, line by line and synchronously: what the file says survives SIGKILL, and is the
 * truth against which the cursor is judged.
 */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '@brokerwire/core'
import { createSigner } from '@brokerwire/signer'
import { createFileStore } from '@brokerwire/stores/file'
import { createStreams, type StreamsOptions, type SupervisionOptions } from '@brokerwire/streams'
import { serveCalls } from './child.ts'
import { CURSOR_KEY } from './ledger.ts'

/** What the consumer does. */
export interface ConsumerOptions {
  readonly appKey: string
  readonly appSecret: string
  readonly url: string
  readonly accounts?: readonly string[]
  /** The file of what was handled. */
  readonly ledger: string
  /** Of the file store. Without it cursors live as long as the stream. */
  readonly directory?: string
  readonly supervision?: SupervisionOptions
  readonly connection?: NonNullable<StreamsOptions['connection']>
  /** Throws in the loop at this event, counted from 1, and reads on with a new stream. */
  readonly throwAt?: number
}

let offsetMs = 0
let learnedMs = 0
let delayMs = 0
let maxQueue = 0
let failure: string | null = null
const clock: Clock = {
  now: () => systemClock.now() + offsetMs,
  setTimer: (callback, ms) => systemClock.setTimer(callback, ms),
}

async function consume(options: ConsumerOptions): Promise<void> {
  const { appKey, appSecret, accounts, url, directory } = options
  const ledger = openSync(options.ledger, 'a', 0o600)
  const streams = createStreams({
    signer: createSigner({ appKey, appSecret, now: () => clock.now() + learnedMs }),
    eventsUrl: url,
    moduleEventsUrl: url,
    ...(directory === undefined ? {} : { store: createFileStore({ directory }), cursorKey: CURSOR_KEY }),
    clock,
    supervision: { backoffBaseMs: 20, backoffMaxMs: 200, ...options.supervision },
    connection: options.connection,
    learnClockOffset({ serverNowMs }) {
      if (serverNowMs !== undefined) learnedMs = serverNowMs - clock.now()
    },
    observer: {
      onBatch({ queueDepth }) {
        maxQueue = Math.max(maxQueue, queueDepth)
      },
    },
  })
  let toThrow = options.throwAt
  for (;;) {
    const stream =
      accounts === undefined
        ? streams.moduleEvents({ modules: ['application'] })
        : streams.tradeEvents({ accounts })
    let count = 0
    try {
      for await (const item of stream) {
        if (item.type === 'notice') {
          writeSync(ledger, `N ${JSON.stringify(item)}\n`)
          continue
        }
        count += 1
        if (count === toThrow) throw new Error('thrown by the consumer')
        writeSync(ledger, `E ${item.service === 'module' ? item.id : item.requestId}\n`)
        if (delayMs > 0) await sleep(delayMs)
      }
      return
    } catch (error) {
      if (toThrow === undefined) throw error
      toThrow = undefined
      writeSync(ledger, 'N {"kind":"thrown"}\n')
    }
  }
}

const commands = {
  start(options: ConsumerOptions): void {
    consume(options).catch((error: unknown) => {
      failure = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    })
  },
  /** Moves the wall clock. */
  jump(byMs: number): void {
    offsetMs += byMs
  },
  /** How long each event takes to handle. */
  slowDown(ms: number): void {
    delayMs = ms
  },
  figures: () => ({ rssBytes: process.memoryUsage().rss, maxQueue, failure }),
}

/** What the consumer's process offers. */
export type ConsumerCommands = typeof commands

serveCalls(commands)

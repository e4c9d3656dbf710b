/**
 * A consumer in its own process, so that it can be killed and its memory can be measured.
 *
 * It writes each handled event to a file, line by line and synchronously: the lines survive SIGKILL.
 */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '@brokerwire/core'
import { createSigner } from '@brokerwire/signer'
import { createFileStore } from '@brokerwire/stores/file'
import {
  createStreams,
  type ModuleStreamItem,
  type StreamsOptions,
  type SupervisionOptions,
  type TradeStreamItem,
} from '@brokerwire/streams'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { IDENTITY } from './ledger.ts'

/** A kind of stream. */
export type StreamKind = 'trade' | 'position' | 'account' | 'module'

/** Orders and positions, as the official Python client asks for them. */
const ORDERS_AND_POSITIONS = 3

/** Options of a consumer that writes a ledger. */
export interface ConsumerOptions {
  readonly appKey: string
  readonly appSecret: string
  readonly url: string
  /** Accounts of trade, position and account events. */
  readonly accounts?: readonly string[]
  /** @defaultValue 'trade' with accounts, otherwise 'module' */
  readonly kind?: StreamKind
  /** How far its clock is off. @defaultValue 0 */
  readonly offsetMs?: number
  readonly ledger: string
  /** Folder of the cursor's file store. Without it the cursor is in memory. */
  readonly directory?: string
  readonly supervision?: SupervisionOptions
  readonly connection?: NonNullable<StreamsOptions['connection']>
  /** The loop throws at this event, counted from 1, and continues with a new stream. */
  readonly throwAt?: number
}

/** Options of a consumer that only counts. */
export interface CounterOptions {
  readonly url: string
  readonly service: 'trade' | 'module'
  /** After so many events it does not ask for another one. */
  readonly stopAfter?: number
}

const closing = new AbortController()
let ended: Promise<void> = Promise.resolve()
let offsetMs = 0
let skewMs = 0
let delayMs = 0
let failure: string | null = null
const counts = { events: 0, notices: 0, maxQueue: 0, peakBytes: 0 }
const clock: Clock = {
  now: () => systemClock.now() + offsetMs,
  setTimer: (callback, ms) => systemClock.setTimer(callback, ms),
}

async function consume(options: ConsumerOptions): Promise<void> {
  const { appKey, appSecret, accounts = [], url, directory } = options
  const kind = options.kind ?? (options.accounts === undefined ? 'module' : 'trade')
  offsetMs = options.offsetMs ?? 0
  const ledger = openSync(options.ledger, 'a', 0o600)
  const streams = createStreams({
    signer: createSigner({ appKey, appSecret, now: () => clock.now() + skewMs }),
    eventsUrl: url,
    moduleEventsUrl: url,
    ...(directory === undefined ? {} : { store: createFileStore({ directory }), identity: IDENTITY }),
    clock,
    supervision: { backoffBaseMs: 20, backoffMaxMs: 200, ...options.supervision },
    connection: options.connection,
    onClockSkew({ serverNowMs }) {
      if (serverNowMs !== undefined) skewMs = serverNowMs - clock.now()
    },
    observer: {
      onBatch({ queueDepth }) {
        counts.maxQueue = Math.max(counts.maxQueue, queueDepth)
      },
    },
  })
  const { signal } = closing
  const open = {
    trade: () => streams.tradeEvents({ accounts, signal }),
    position: () => streams.positionEvents({ accounts, signal }),
    account: () => streams.accountEvents({ accounts, subscribeType: ORDERS_AND_POSITIONS, signal }),
    module: () => streams.moduleEvents({ modules: ['application'], signal }),
  }
  for (let { throwAt } = options; ; throwAt = undefined) {
    const stream: AsyncIterable<TradeStreamItem | ModuleStreamItem<unknown>> = open[kind]()
    let count = 0
    try {
      for await (const item of stream) {
        if (item.type === 'notice') {
          writeSync(ledger, `N ${JSON.stringify(item)}\n`)
          continue
        }
        if (item.type === 'undecodable') {
          writeSync(ledger, `N ${JSON.stringify({ kind: item.kind, reason: item.reason })}\n`)
          continue
        }
        count += 1
        if (count === throwAt) throw new Error('thrown by the consumer')
        writeSync(ledger, `E ${item.service === 'module' ? item.id : item.requestId}\n`)
        if (delayMs > 0) await sleep(delayMs)
      }
      return
    } catch (error) {
      if (signal.aborted) return
      if (throwAt === undefined) throw error
      writeSync(ledger, 'N {"kind":"thrown"}\n')
    }
  }
}

async function count({ url, service, stopAfter }: CounterOptions): Promise<void> {
  const signer = createSigner({ appKey: 'faults', appSecret: 'of-nobody' })
  const streams = createStreams({ signer, eventsUrl: url, moduleEventsUrl: url })
  const stream =
    service === 'trade'
      ? streams.tradeEvents({ accounts: ['A'] })
      : streams.moduleEvents({ modules: ['application'] })
  for await (const { type } of stream) {
    counts[type === 'event' ? 'events' : 'notices'] += 1
    if (counts.events === stopAfter) await new Promise(() => {})
  }
}

const run = (work: Promise<void>): void => {
  ended = work.catch((error: unknown) => {
    failure = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  })
}
const peak = (): number => Math.max(counts.peakBytes, process.memoryUsage.rss())

const commands = {
  start: (options: ConsumerOptions): void => run(consume(options)),
  count(options: CounterOptions): void {
    setInterval(() => {
      counts.peakBytes = peak()
    }, 20).unref()
    run(count(options))
  },
  /** Ends the stream in good order. */
  async close(): Promise<void> {
    closing.abort()
    await ended
  },
  jump(byMs: number): void {
    offsetMs += byMs
  },
  /** Sets how long each event takes to handle. */
  slowDown(ms: number): void {
    delayMs = ms
  },
  /** Memory is the maximum since the last call. */
  figures() {
    const figures = { ...counts, peakBytes: peak(), rssBytes: process.memoryUsage.rss(), failure }
    counts.peakBytes = 0
    return figures
  },
}

export type ConsumerCommands = typeof commands

serveCalls(commands)

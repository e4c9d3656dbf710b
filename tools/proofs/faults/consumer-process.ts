/**
 * A consumer in its own process, so that it can be killed and its memory can be measured. It writes each
 * handled event to a file as a line, synchronously, so that the lines survive SIGKILL.
 */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '@brokerwire/core'
import { createTelemetry } from '@brokerwire/otel'
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
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { IDENTITY } from './event-log.ts'

/** A kind of stream. */
export type StreamKind = 'trade' | 'position' | 'account' | 'module'

/** Orders and positions: the value that the official Python client sends. */
const ORDERS_AND_POSITIONS = 3

/** Options of a consumer that writes an event log. */
export interface ConsumerOptions {
  readonly appKey: string
  readonly appSecret: string
  readonly url: string
  /** Accounts of trade, position and account events. */
  readonly accounts?: readonly string[]
  /** @defaultValue 'trade' if `accounts` is set, otherwise 'module' */
  readonly kind?: StreamKind
  /** Folder of the file store for the cursor. If it is not set, the cursor is in memory. */
  readonly offsetMs?: number
  readonly eventLog: string
  /** Folder of the file store for the cursor. Without it the cursor is in memory. */
  readonly directory?: string
  readonly supervision?: SupervisionOptions
  readonly connection?: NonNullable<StreamsOptions['connection']>
  /** The number of the event at which the loop throws, counted from 1. Afterwards a new stream continues. */
  readonly throwAt?: number
}

/** The number of events after which the consumer requests no more events. */
export interface CounterOptions {
  readonly url: string
  readonly service: 'trade' | 'module'
  /** The number of events after which the consumer requests no more. */
  readonly stopAfter?: number
}

/** Metrics are collected only on request. */
class CollectingReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

const closing = new AbortController()
let ended: Promise<void> = Promise.resolve()
let offsetMs = 0
let skewMs = 0
let delayMs = 0
let failure: string | null = null
const counts = { events: 0, notices: 0, gaps: 0, maxQueue: 0, peakBytes: 0 }
const metricReader = new CollectingReader()
const telemetry = createTelemetry({ meterProvider: new MeterProvider({ readers: [metricReader] }) })
const clock: Clock = {
  now: () => systemClock.now() + offsetMs,
  setTimer: (callback, ms) => systemClock.setTimer(callback, ms),
}

async function consume(options: ConsumerOptions): Promise<void> {
  const { appKey, appSecret, accounts = [], url, directory } = options
  const kind = options.kind ?? (options.accounts === undefined ? 'module' : 'trade')
  offsetMs = options.offsetMs ?? 0
  const eventLog = openSync(options.eventLog, 'a', 0o600)
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
      ...telemetry.observer,
      onStreamBatch(report) {
        counts.maxQueue = Math.max(counts.maxQueue, report.queueDepth)
        telemetry.observer.onStreamBatch(report)
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
          if (item.kind === 'gap') counts.gaps += 1
          writeSync(eventLog, `N ${JSON.stringify(item)}\n`)
          continue
        }
        if (item.type === 'undecodable') {
          writeSync(eventLog, `N ${JSON.stringify({ kind: item.kind, reason: item.reason })}\n`)
          continue
        }
        count += 1
        if (count === throwAt) throw new Error('thrown by the consumer')
        writeSync(eventLog, `E ${item.service === 'module' ? item.id : item.requestId}\n`)
        if (delayMs > 0) await sleep(delayMs)
      }
      return
    } catch (error) {
      if (signal.aborted) return
      if (throwAt === undefined) throw error
      writeSync(eventLog, 'N {"kind":"thrown"}\n')
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
  /** Closes the stream. */
  async close(): Promise<void> {
    closing.abort()
    await ended
  },
  jump(byMs: number): void {
    offsetMs += byMs
  },
  /** Sets the time that the consumer needs for each event. */
  slowDown(ms: number): void {
    delayMs = ms
  },
  /** Returns the number of gap notices that were handled, and the number in the metric `brokerwire.stream.gap`. */
  async gaps() {
    const { resourceMetrics } = await metricReader.collect()
    const points = resourceMetrics.scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .filter(({ descriptor }) => descriptor.name === 'brokerwire.stream.gap')
      .flatMap(({ dataPoints }) => dataPoints as DataPoint<Histogram>[])
    const measured = points.reduce((sum, { value }) => sum + value.count, 0)
    return { handled: counts.gaps, measured }
  },
  /** Returns the counts and the memory. `peakBytes` is the maximum since the last call of this function. */
  figures() {
    const figures = { ...counts, peakBytes: peak(), rssBytes: process.memoryUsage.rss(), failure }
    counts.peakBytes = 0
    return figures
  },
}

export type ConsumerCommands = typeof commands

serveCalls(commands)

/** Opens the demo's three streams, prints and counts their events, and lets the demo wait for them. */

import type { Brokerage } from '@brokerwire/client'
import { abortReason, addAbortListener } from '@brokerwire/core/internal'
import { MODULE_NAMES, MODULES, type Simulator } from '@brokerwire/simulator'
import { eventLine, eventName } from '../render/event-line.ts'
import type { Line } from '../render/line.ts'
import { noticeLine } from '../render/notice-line.ts'
import { undecodableLine } from '../render/undecodable-line.ts'
import { type Counters, DEMO_STREAMS, type DemoStream } from './counters.ts'

/** The open streams. */
export interface DemoStreams {
  /** Resolves when every stream has been subscribed `times` times. */
  waitForSubscriptions(times: number): Promise<void>
  /** Resolves when every stream has delivered its last expected event. */
  waitForDelivery(): Promise<void>
  /** Resolves with `promise`. Rejects if a stream fails or the command is stopped first. */
  raceWithFailure<T>(promise: Promise<T>): Promise<T>
  /** Closes all streams and waits for their end. */
  close(): Promise<void>
}

/** Dependencies of the streams. */
export interface DemoStreamsInput {
  readonly brokerage: Brokerage
  readonly simulator: Simulator
  readonly counters: Counters
  readonly signal: AbortSignal
  readonly out: (line: Line) => void
}

/** Opens the streams. */
export function openStreams({ brokerage, simulator, counters, signal, out }: DemoStreamsInput): DemoStreams {
  const closing = new AbortController()
  const stop = AbortSignal.any([signal, closing.signal])
  const { accounts } = simulator
  const sources = {
    trade: brokerage.tradeEvents({ accounts, signal: stop }),
    position: brokerage.positionEvents({ accounts, signal: stop }),
    module: brokerage.moduleEvents({
      modules: MODULE_NAMES.map((name) => (name === 'sod' ? { eventType: MODULES.sod.eventType } : name)),
      signal: stop,
    }),
  }
  const watchers = new Set<() => void>()
  const notifyWatchers = (): void => {
    for (const watcher of [...watchers]) watcher()
  }
  let failure: { readonly error: unknown } | undefined

  const read = async (stream: DemoStream): Promise<void> => {
    try {
      for await (const item of sources[stream]) {
        if (item.type === 'notice') {
          counters.notice(stream, item)
          out(noticeLine(stream, item))
        } else if (item.type === 'undecodable') {
          out(undecodableLine(stream, item))
        } else {
          counters.event(stream, 'id' in item ? item.id : item.requestId, eventName(item), item.decode().ok)
          out(eventLine(item, item.receivedAtMs))
        }
        notifyWatchers()
      }
    } catch (error) {
      if (!stop.aborted) failure = { error }
      notifyWatchers()
    }
  }
  const readers = DEMO_STREAMS.map(read)

  const waitUntil = (condition: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      let stopListening = (): void => {}
      const check = (): void => {
        if (failure === undefined && !signal.aborted && !condition()) return
        watchers.delete(check)
        stopListening()
        if (failure !== undefined) reject(failure.error)
        else if (signal.aborted) reject(abortReason(signal))
        else resolve()
      }
      watchers.add(check)
      stopListening = addAbortListener(signal, check)
      check()
    })

  return {
    waitForSubscriptions: (times) =>
      waitUntil(() => DEMO_STREAMS.every((stream) => counters.of(stream).subscribed >= times)),
    waitForDelivery() {
      const getLastRequestId = (kind: string): string | undefined =>
        simulator
          .tradeEvents()
          .filter((event) => event.kind === kind)
          .at(-1)?.requestId
      const last = {
        trade: getLastRequestId('order'),
        position: getLastRequestId('position'),
        module: simulator.moduleEvents().at(-1)?.id,
      }
      return waitUntil(() =>
        DEMO_STREAMS.every((stream) => counters.of(stream).delivered.at(-1) === last[stream]),
      )
    },
    async raceWithFailure(promise) {
      let over = false
      const watch = waitUntil(() => over)
      try {
        return await Promise.race([promise, watch.then(() => promise)])
      } finally {
        over = true
        notifyWatchers()
      }
    },
    async close() {
      closing.abort()
      await Promise.all(readers)
    },
  }
}

/** Opens the demo's three streams, prints and counts their events, and lets the demo wait for them. */

import type { Brokerage } from '@brokerwire/client'
import { abortReason, onAbort } from '@brokerwire/core/internal'
import { MODULE_NAMES, MODULES, type Simulator } from '@brokerwire/simulator'
import { eventLine, eventName } from '../render/event-line.ts'
import type { Line } from '../render/line.ts'
import { noticeLine } from '../render/notice-line.ts'
import { undecodableLine } from '../render/undecodable-line.ts'
import { DEMO_STREAMS, type DemoStream, type Tally } from './tally.ts'

/** The open streams. */
export interface DemoStreams {
  /** Resolves when every stream has been subscribed this many times. */
  subscribed(times: number): Promise<void>
  /** Resolves when every stream has delivered its last expected event. */
  delivered(): Promise<void>
  /** Resolves with `promise`; rejects if a stream fails or the command is stopped first. */
  orFailure<T>(promise: Promise<T>): Promise<T>
  /** Closes all streams and waits for their end. */
  close(): Promise<void>
}

/** Dependencies of the streams. */
export interface DemoStreamsInput {
  readonly brokerage: Brokerage
  readonly simulator: Simulator
  readonly tally: Tally
  readonly signal: AbortSignal
  readonly out: (line: Line) => void
}

/** Opens the streams. */
export function openStreams({ brokerage, simulator, tally, signal, out }: DemoStreamsInput): DemoStreams {
  const leave = new AbortController()
  const stop = AbortSignal.any([signal, leave.signal])
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
  const changed = (): void => {
    for (const watcher of [...watchers]) watcher()
  }
  let failure: { readonly error: unknown } | undefined

  const read = async (stream: DemoStream): Promise<void> => {
    try {
      for await (const item of sources[stream]) {
        if (item.type === 'notice') {
          tally.notice(stream, item)
          out(noticeLine(stream, item))
        } else if (item.type === 'undecodable') {
          out(undecodableLine(stream, item))
        } else {
          tally.event(stream, 'id' in item ? item.id : item.requestId, eventName(item), item.decode().ok)
          out(eventLine(item, item.receivedAtMs))
        }
        changed()
      }
    } catch (error) {
      if (!stop.aborted) failure = { error }
      changed()
    }
  }
  const readers = DEMO_STREAMS.map(read)

  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      let stopListening = (): void => {}
      const look = (): void => {
        if (failure === undefined && !signal.aborted && !holds()) return
        watchers.delete(look)
        stopListening()
        if (failure !== undefined) reject(failure.error)
        else if (signal.aborted) reject(abortReason(signal))
        else resolve()
      }
      watchers.add(look)
      stopListening = onAbort(signal, look)
      look()
    })

  return {
    subscribed: (times) => until(() => DEMO_STREAMS.every((stream) => tally.of(stream).subscribed >= times)),
    delivered() {
      const lastOf = (kind: string): string | undefined =>
        simulator
          .tradeEvents()
          .filter((event) => event.kind === kind)
          .at(-1)?.requestId
      const last = {
        trade: lastOf('order'),
        position: lastOf('position'),
        module: simulator.moduleEvents().at(-1)?.id,
      }
      return until(() => DEMO_STREAMS.every((stream) => tally.of(stream).delivered.at(-1) === last[stream]))
    },
    async orFailure(promise) {
      let over = false
      const watch = until(() => over)
      try {
        return await Promise.race([promise, watch.then(() => promise)])
      } finally {
        over = true
        changed()
      }
    },
    async close() {
      leave.abort()
      await Promise.all(readers)
    },
  }
}

/** Metrics of a relay by app, from the reports to the relay's observer. */
import type { StartRelayOptions } from '@brokerwire/relay'

type Observer = NonNullable<StartRelayOptions['observer']>

/** Metrics of one app since the start. */
export interface AppMetrics {
  messages: number
  bytes: number
  /** Sequence of the last message in the stream. */
  sequence: number
  /** Number of events that the stream already contained. */
  duplicates: number
  gaps: number
  reconnects: number
  isPaused: boolean
  /**
   * Time at which the next create request is allowed, as an ISO string. Missing if it is allowed now or not
   * needed.
   */
  nextCreateAt?: string | undefined
}

/** Collects metrics. */
export interface Metrics {
  readonly observer: Pick<
    Observer,
    'onRelayStored' | 'onRelayDuplicates' | 'onRelayNotice' | 'onRelayBackpressure' | 'onRelayToken'
  >
  /** Metrics by app. The object stays the same until a value changes. */
  read(): Readonly<Record<string, AppMetrics>>
}

/** Creates metrics without values. */
export function createMetrics(): Metrics {
  const byApp = new Map<string, AppMetrics>()
  let snapshot: Readonly<Record<string, AppMetrics>> | undefined
  const change = (app: string): AppMetrics => {
    snapshot = undefined
    const known = byApp.get(app)
    if (known !== undefined) return known
    const created = {
      messages: 0,
      bytes: 0,
      sequence: 0,
      duplicates: 0,
      gaps: 0,
      reconnects: 0,
      isPaused: false,
    }
    byApp.set(app, created)
    return created
  }
  return {
    observer: {
      onRelayStored({ app, messages, bytes, sequence }) {
        const metrics = change(app)
        metrics.messages += messages
        metrics.bytes += bytes
        metrics.sequence = sequence
      },
      onRelayDuplicates({ app, events }) {
        change(app).duplicates += events
      },
      onRelayNotice({ app, notice }) {
        if (notice.kind === 'gap') change(app).gaps += 1
        if (notice.kind === 'reconnecting') change(app).reconnects += 1
      },
      onRelayBackpressure({ app, isPaused }) {
        change(app).isPaused = isPaused
      },
      onRelayToken({ app, nextCreateAtMs }) {
        change(app).nextCreateAt =
          nextCreateAtMs === undefined ? undefined : new Date(nextCreateAtMs).toISOString()
      },
    },
    read() {
      snapshot ??= Object.fromEntries([...byApp].map(([app, metrics]) => [app, { ...metrics }]))
      return snapshot
    },
  }
}

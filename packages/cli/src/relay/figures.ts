/** Counters of a relay by app, from its observer. */
import type { StartRelayOptions } from '@brokerwire/relay'

type Observer = NonNullable<StartRelayOptions['observer']>

/** Counters of one app since the start. */
export interface KeyFigures {
  messages: number
  bytes: number
  /** Sequence of the last message in the stream. */
  sequence: number
  /** Number of events that the stream already contained. */
  repeats: number
  gaps: number
  reconnects: number
  isHeld: boolean
  /** Time of the next possible create request as an ISO string; missing if it is possible now or not needed. */
  nextCreateAt?: string | undefined
}

/** Counts. */
export interface Figures {
  readonly observer: Pick<Observer, 'onStored' | 'onRepeats' | 'onNotice' | 'onBackpressure' | 'onToken'>
  /** Counters by app; the same object until one changes. */
  read(): Readonly<Record<string, KeyFigures>>
}

/** Creates empty counters. */
export function createFigures(): Figures {
  const apps = new Map<string, KeyFigures>()
  let shown: Readonly<Record<string, KeyFigures>> | undefined
  const of = (app: string): KeyFigures => {
    shown = undefined
    const known = apps.get(app)
    if (known !== undefined) return known
    const made = { messages: 0, bytes: 0, sequence: 0, repeats: 0, gaps: 0, reconnects: 0, isHeld: false }
    apps.set(app, made)
    return made
  }
  return {
    observer: {
      onStored({ app, messages, bytes, sequence }) {
        const figures = of(app)
        figures.messages += messages
        figures.bytes += bytes
        figures.sequence = sequence
      },
      onRepeats({ app, events }) {
        of(app).repeats += events
      },
      onNotice({ app, notice }) {
        if (notice.kind === 'gap') of(app).gaps += 1
        if (notice.kind === 'reconnecting') of(app).reconnects += 1
      },
      onBackpressure({ app, isHeld }) {
        of(app).isHeld = isHeld
      },
      onToken({ app, nextCreateAtMs }) {
        of(app).nextCreateAt =
          nextCreateAtMs === undefined ? undefined : new Date(nextCreateAtMs).toISOString()
      },
    },
    read() {
      shown ??= Object.fromEntries([...apps].map(([app, figures]) => [app, { ...figures }]))
      return shown
    },
  }
}

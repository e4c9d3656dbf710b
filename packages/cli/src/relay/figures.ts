/** Counters of a relay by key, from its observer. */
import type { StartRelayOptions } from '@brokerwire/relay'

type Observer = NonNullable<StartRelayOptions['observer']>

/** Counters of one key since the start. */
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
  /** Counters by key; the same object until one changes. */
  read(): Readonly<Record<string, KeyFigures>>
}

/** Creates empty counters. */
export function createFigures(): Figures {
  const keys = new Map<string, KeyFigures>()
  let shown: Readonly<Record<string, KeyFigures>> | undefined
  const of = (key: string): KeyFigures => {
    shown = undefined
    const known = keys.get(key)
    if (known !== undefined) return known
    const made = { messages: 0, bytes: 0, sequence: 0, repeats: 0, gaps: 0, reconnects: 0, isHeld: false }
    keys.set(key, made)
    return made
  }
  return {
    observer: {
      onStored({ key, messages, bytes, sequence }) {
        const figures = of(key)
        figures.messages += messages
        figures.bytes += bytes
        figures.sequence = sequence
      },
      onRepeats({ key, events }) {
        of(key).repeats += events
      },
      onNotice({ key, notice }) {
        if (notice.kind === 'gap') of(key).gaps += 1
        if (notice.kind === 'reconnecting') of(key).reconnects += 1
      },
      onBackpressure({ key, isHeld }) {
        of(key).isHeld = isHeld
      },
      onToken({ key, nextCreateAtMs }) {
        of(key).nextCreateAt =
          nextCreateAtMs === undefined ? undefined : new Date(nextCreateAtMs).toISOString()
      },
    },
    read() {
      shown ??= Object.fromEntries([...keys].map(([key, figures]) => [key, { ...figures }]))
      return shown
    },
  }
}

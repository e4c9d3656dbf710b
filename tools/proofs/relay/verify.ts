/**
 * Compares the messages of a stream with the events that the service sent. Each event must be in the stream
 * once and in order, or in a gap.
 */
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import { WRITER_HEADER } from './sink-place.ts'

export interface StoredMessage {
  readonly sequence: number
  /** Milliseconds since the Unix epoch, by the server's clock. */
  readonly storedAtMs: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SentEvent {
  readonly stream: 'module' | 'trade' | 'position'
  /** The event type of a module event. */
  readonly eventType: string
  readonly id: string
  readonly atMs: number
  readonly payload: string
}

export interface Verdict {
  readonly modules: number
  readonly missing: number
  /** Descriptions of missing module events. */
  readonly missingEvents: readonly string[]
  readonly duplicates: number
  readonly outOfOrder: number
  readonly invented: number
  readonly altered: number
  readonly lost: number
  /** Lost events that are in no gap. */
  readonly unexplained: number
  readonly duplicateTrades: number
  readonly gaps: number
  /** Gaps without a start in a stream that has earlier messages. */
  readonly openGaps: number
  readonly writers: number
  /** Messages of an earlier writer after the notice of a later one. */
  readonly fromEarlierWriter: number
}

const writerOf = ({ headers }: StoredMessage): string | undefined => headers[WRITER_HEADER]

/**
 * Returns the relay that became the writer of the stream, if the message is its notice of that. Returns
 * `undefined` for other messages.
 */
function acquiredBy({ headers, body }: StoredMessage): string | undefined {
  if (headers[HEADER.type] !== 'notice' || headers[HEADER.kind] !== 'writer-changed') return undefined
  const { state, relay } = JSON.parse(body) as { state?: string; relay?: string }
  return state === 'acquired' ? relay : undefined
}

/** Counts messages that an earlier writer stored after a later writer had started. */
function countEarlierWriterMessages(messages: readonly StoredMessage[]): {
  writers: number
  fromEarlierWriter: number
} {
  let writer: string | undefined
  let writers = 0
  let fromEarlierWriter = 0
  for (const message of messages) {
    if (acquiredBy(message) !== undefined) {
      writer = writerOf(message)
      writers += 1
    } else if (writerOf(message) !== writer) fromEarlierWriter += 1
  }
  return { writers, fromEarlierWriter }
}

/** Counts the positions that are smaller than an earlier position. */
function disorder(places: readonly number[]): number {
  let highest = -1
  let count = 0
  for (const place of places) {
    if (place < highest) count += 1
    highest = Math.max(highest, place)
  }
  return count
}

const nameOf = ({ headers }: StoredMessage): string => headers[HEADER.id] ?? headers[HEADER.requestId] ?? ''

export function verify(messages: readonly StoredMessage[], sent: readonly SentEvent[]): Verdict {
  const sentBy = new Map(sent.map((event, place) => [`${event.stream} ${event.id}`, { ...event, place }]))
  const seen = new Map<string, number>()
  const places = new Map<string, number[]>()
  const gaps: Record<string, { fromMs: number; toMs: number }[]> = { trade: [], position: [] }
  const begun = new Set<string>()
  let [invented, altered, openGaps] = [0, 0, 0]
  for (const message of messages) {
    const stream = message.headers[HEADER.source] ?? ''
    if (message.headers[HEADER.type] === 'event') {
      const name = `${stream} ${nameOf(message)}`
      const event = sentBy.get(name)
      if (event === undefined) invented += 1
      else if (event.payload !== message.body) altered += 1
      if (event !== undefined && !seen.has(name)) {
        const type = `${stream} ${event.eventType}`
        const list = places.get(type)
        if (list === undefined) places.set(type, [event.place])
        else list.push(event.place)
      }
      seen.set(name, (seen.get(name) ?? 0) + 1)
    } else if (message.headers[HEADER.kind] === 'gap') {
      const { fromMs, toMs, atMs } = JSON.parse(message.body) as {
        fromMs?: number
        toMs?: number
        atMs: number
      }
      if (fromMs === undefined && begun.has(stream)) openGaps += 1
      gaps[stream]?.push({ fromMs: fromMs ?? Number.NEGATIVE_INFINITY, toMs: toMs ?? atMs })
    }
    begun.add(stream)
  }
  const isModule = (name: string): boolean => name.startsWith('module ')
  const duplicates = [...seen].filter(([, count]) => count > 1)
  const gone = sent.filter(({ stream, id }) => !seen.has(`${stream} ${id}`))
  const lost = gone.filter(({ stream }) => stream !== 'module')
  const isInGap = ({ stream, atMs }: SentEvent): boolean =>
    gaps[stream]?.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs) === true
  return {
    modules: [...seen.keys()].filter(isModule).length,
    missing: gone.length - lost.length,
    missingEvents: gone
      .filter(({ stream }) => stream === 'module')
      .map(({ eventType, id, atMs }) => `${eventType} ${id}, sent ${new Date(atMs).toISOString()}`),
    duplicates: duplicates.filter(([name]) => isModule(name)).length,
    outOfOrder: [...places]
      .filter(([type]) => isModule(type))
      .reduce((sum, [, list]) => sum + disorder(list), 0),
    invented,
    altered,
    lost: lost.length,
    unexplained: lost.filter((event) => !isInGap(event)).length,
    duplicateTrades: duplicates.filter(([name]) => !isModule(name)).length,
    gaps: Object.values(gaps).flat().length,
    openGaps,
    ...countEarlierWriterMessages(messages),
  }
}

export interface Kill {
  readonly relay: string
  readonly atMs: number
}

/**
 * Measures the milliseconds from the kill of the relay that writes an app's stream until a subscription of
 * the next writer was live. Kills of other relays are ignored.
 */
export function takeovers(
  messages: readonly StoredMessage[],
  kills: readonly Kill[],
): Record<string, number[]> {
  const times: Record<string, number[]> = { module: [], trade: [], position: [] }
  for (const { relay, atMs } of kills) {
    const before = messages.filter((message) => message.storedAtMs <= atMs)
    const last = before
      .filter(({ headers }) => headers[HEADER.type] === 'notice' && headers[HEADER.kind] === 'writer-changed')
      .at(-1)
    if (last === undefined || acquiredBy(last) !== relay) continue
    const writer = writerOf(last)
    for (const stream of ['module', 'trade', 'position']) {
      const live = messages.find(
        (message) =>
          message.storedAtMs > atMs &&
          writerOf(message) !== writer &&
          message.headers[HEADER.source] === stream &&
          message.headers[HEADER.kind] === 'subscribed',
      )
      if (live !== undefined) times[stream]?.push(live.storedAtMs - atMs)
    }
  }
  return times
}

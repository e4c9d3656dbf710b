/** Notices in a stream: of its subscriptions, its writer, and its gaps. */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { NoticeKind, StreamNotice } from '@brokerwire/streams'
import type { Subscription } from './subjects.ts'

/** The instant until which everything that the service sent was stored, or reported as a gap. Milliseconds since the Unix epoch. */
export interface CompleteUntil {
  /** The instant by the service's clock, as far as it is known. */
  readonly untilMs: number
  /** The instant by the clock of the relay's host. */
  readonly hostUntilMs: number
  /** The service's clock minus the host's; `undefined` if it was not measured. */
  readonly clockOffsetMs: number | undefined
}

/** Instants of completeness by subscription. */
export type CompleteUntilBySubscription = Readonly<Partial<Record<Subscription, CompleteUntil>>>

/** A notice of the stream's writer. All instants are milliseconds since the Unix epoch, by the clock of the relay's host. */
export interface WriterChangedNotice {
  /** Distinguishes notices from events. */
  readonly type: 'notice'
  /** The kind of the notice. */
  readonly kind: 'writer-changed'
  /**
   * The reason for the notice.
   *
   * - `acquired`: the relay has become the writer.
   * - `renewed`: the relay is still the writer; the notice is repeated before the stream deletes the last
   *   one.
   * - `released`: the relay is no longer the writer.
   */
  readonly state: 'acquired' | 'renewed' | 'released'
  /** The instant of the notice. */
  readonly atMs: number
  /** The name of the writer's cluster of relays. */
  readonly cluster: string
  /** The name of the writing relay. */
  readonly relay: string
  /**
   * A random id of the relay's membership. A relay joins its cluster at its start, and again after a loss,
   * with another id.
   */
  readonly incarnation: string
  /** The instant until which each subscription was complete. */
  readonly completeUntil?: CompleteUntilBySubscription | undefined
}

/**
 * A gap: events between its bounds may be missing. The bounds are milliseconds since the Unix epoch: `fromMs`
 * and `toMs` by the service's clock as far as it is known, the others by the clock of the relay's host.
 */
export interface WriterGap {
  /** Distinguishes notices from events. */
  readonly type: 'notice'
  /** The kind of the notice. */
  readonly kind: 'gap'
  /** The instant of the notice, by the clock of the relay's host. */
  readonly atMs: number
  /** The start of the gap, by the service's clock. */
  readonly fromMs: number
  /** The end of the gap, by the service's clock. */
  readonly toMs: number
  /** The start of the gap, by the clock of the relay's host. */
  readonly hostFromMs: number
  /** The end of the gap, by the clock of the relay's host. */
  readonly hostToMs: number
  /** The service's clock minus the host's; `undefined` if it was not measured. */
  readonly clockOffsetMs: number | undefined
  /** The event types of the missing events; `undefined` means all types of the subscription. */
  readonly eventTypes: readonly string[] | undefined
  /**
   * The reason why events may be missing.
   *
   * - `restart`: since the last writer, no relay was subscribed.
   * - `before-subscription`: the first subscription of this stream. Nothing is known about the time before
   *   it.
   * - `disconnected`: the subscription was lost, and the same relay opened it again.
   * - `stream-truncated`: the stream was deleted, recreated or restored, so stored messages are missing.
   */
  readonly cause: 'restart' | 'before-subscription' | 'disconnected' | 'stream-truncated'
}

/** The kinds of notices that are stored, because readers learn from them which events they may have missed. */
export const RELAYED_NOTICES: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  'subscribed',
  'resumed',
  'gap',
  'missed-events',
  'duplicate-conflict',
  'id-too-long',
])

/**
 * Messages that a reader has not received and that the stream no longer has. `consumeRelay` creates this
 * notice for its reader. It is not in the stream.
 */
export interface ReaderGap {
  /** Distinguishes notices from events. */
  readonly type: 'notice'
  /** The kind of the notice. */
  readonly kind: 'gap'
  /** The instant of the notice, by the reader's clock. Milliseconds since the Unix epoch. */
  readonly atMs: number
  /**
   * `retention`: a limit of the stream, a purge or a deletion removed the messages. `stream-truncated`: the
   * stream was deleted and created again, or restored from a backup, while it was read.
   */
  readonly cause: 'retention' | 'stream-truncated'
  /**
   * The first missing sequence. It is `undefined` after a truncation, because the sequences then belong to
   * other messages.
   */
  readonly fromSeq: number | undefined
  /** The last missing sequence. It is `undefined` after a truncation. */
  readonly toSeq: number | undefined
  /**
   * Whether at least one missing message was certainly for this reader. `false` means that this is unknown:
   * the messages may have been for other filters, or were delivered before the last reader ended without
   * `return()`.
   */
  readonly certain: boolean
  /**
   * The service's timestamp of the last event before the gap, or of an earlier event; `undefined` if it is
   * unknown. Milliseconds since the Unix epoch.
   */
  readonly fromMs: number | undefined
  /**
   * The service's timestamp of the first event after the gap; `undefined` if it is unknown. Milliseconds
   * since the Unix epoch.
   */
  readonly toMs: number | undefined
  /** The same as `fromMs`, by the clock of the relay's host. */
  readonly hostFromMs: number | undefined
  /** The same as `toMs`, by the clock of the relay's host. */
  readonly hostToMs: number | undefined
  /** Always `undefined`: a reader measures no offset. */
  readonly clockOffsetMs: undefined
  /** Always `undefined`: a reader does not know the missing types. */
  readonly eventTypes: undefined
}

/** A notice of the stream, as a consumer gets it. */
export type RelayedNotice = StreamNotice | WriterChangedNotice | WriterGap

const WRITER_STATES: readonly unknown[] = ['acquired', 'renewed', 'released']

/** Parses the notice of a writer. @returns `undefined` if the body is not such a notice. */
export function parseWriterNotice(body: string): WriterChangedNotice | undefined {
  const value = parseJsonObject(body)
  if (value === undefined || value.kind !== 'writer-changed') return undefined
  const { state, atMs, cluster, relay, incarnation, completeUntil } = value
  if (!WRITER_STATES.includes(state) || typeof atMs !== 'number') return undefined
  if (typeof cluster !== 'string' || typeof relay !== 'string' || typeof incarnation !== 'string')
    return undefined
  return {
    type: 'notice',
    kind: 'writer-changed',
    state: state as WriterChangedNotice['state'],
    atMs,
    cluster,
    relay,
    incarnation,
    completeUntil: parseCompleteUntils(completeUntil),
  }
}

/** Parses the instants by subscription, and ignores those that no relay wrote. */
export function parseCompleteUntils(value: unknown): CompleteUntilBySubscription | undefined {
  if (!isRecord(value)) return undefined
  const read: Partial<Record<Subscription, CompleteUntil>> = {}
  for (const subscription of ['module', 'trade', 'position'] as const) {
    const until = parseCompleteUntil(value[subscription])
    if (until !== undefined) read[subscription] = until
  }
  return read
}

/** Parses an instant of completeness. @returns `undefined` if the value was not written by a relay. */
export function parseCompleteUntil(value: unknown): CompleteUntil | undefined {
  if (!isRecord(value)) return undefined
  const { untilMs, hostUntilMs, clockOffsetMs } = value
  if (typeof untilMs !== 'number' || typeof hostUntilMs !== 'number') return undefined
  const offsetMs = typeof clockOffsetMs === 'number' ? clockOffsetMs : undefined
  return { untilMs, hostUntilMs, clockOffsetMs: offsetMs }
}

/** Notices in a stream: of its subscriptions, its writer, and its gaps. */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { NoticeKind, StreamNotice } from '@brokerwire/streams'
import type { Subscription } from './subjects.ts'

/** The instant until which everything that the service sent was stored, or reported as a gap. Milliseconds since the Unix epoch. */
export interface CompleteUntil {
  /** By the service's clock, as far as it is known. */
  readonly untilMs: number
  /** By the clock of the relay's host. */
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
   * - `renewed`: it still is; the notice is repeated before the stream deletes the last one.
   * - `released`: it no longer writes.
   */
  readonly state: 'acquired' | 'renewed' | 'released'
  /** The instant of the notice. */
  readonly atMs: number
  /** The name of the writer's cluster of relays. */
  readonly cluster: string
  /** The name of the writing relay. */
  readonly relay: string
  /** A random id of each membership of a relay: it joins its cluster at its start, and again after a loss. */
  readonly incarnation: string
  /** The instant until which each subscription was complete. */
  readonly completeUntil?: CompleteUntilBySubscription | undefined
}

/**
 * Events between the bounds may be missing. Milliseconds since the Unix epoch: `fromMs` and `toMs` by the service's clock as
 * far as it is known, the others by the clock of the relay's host.
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
  /** The event types concerned; `undefined`: all of the subscription. */
  readonly eventTypes: readonly string[] | undefined
  /**
   * The reason why events may be missing.
   *
   * - `restart`: no writer was subscribed since the last one.
   * - `before-subscription`: the first subscription of this stream. Nothing is known about the time before it.
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
 * Messages that a reader has not received and that the stream no longer has. `consumeRelay` creates it for its reader; it is
 * not in the stream.
 */
export interface ReaderGap {
  /** Distinguishes notices from events. */
  readonly type: 'notice'
  /** The kind of the notice. */
  readonly kind: 'gap'
  /** By the reader's clock. Milliseconds since the Unix epoch. */
  readonly atMs: number
  /**
   * `retention`: a limit of the stream, a purge or a deletion removed them. `stream-truncated`: the stream was deleted and created
   * again, or restored from a backup, while it was read.
   */
  readonly cause: 'retention' | 'stream-truncated'
  /** The first missing sequence. `undefined` after a truncation: the sequences mean other messages. */
  readonly fromSeq: number | undefined
  /** The last missing sequence. `undefined` after a truncation. */
  readonly toSeq: number | undefined
  /**
   * At least one missing message was for this reader. `false`: it cannot be known, because the messages may have been for other
   * filters, or were delivered before the last reader ended without `return()`.
   */
  readonly certain: boolean
  /** Service's timestamp of the last event before, or of an earlier one; `undefined` if unknown. Milliseconds since the Unix epoch. */
  readonly fromMs: number | undefined
  /** Service's timestamp of the first event after; `undefined` if unknown. Milliseconds since the Unix epoch. */
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

/** @returns `undefined` if the body is not a notice of a writer. */
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

/** Parses the instants, without those that no relay wrote. */
export function parseCompleteUntils(value: unknown): CompleteUntilBySubscription | undefined {
  if (!isRecord(value)) return undefined
  const read: Partial<Record<Subscription, CompleteUntil>> = {}
  for (const subscription of ['module', 'trade', 'position'] as const) {
    const until = parseCompleteUntil(value[subscription])
    if (until !== undefined) read[subscription] = until
  }
  return read
}

/** @returns `undefined` if the value was not written by a relay. */
export function parseCompleteUntil(value: unknown): CompleteUntil | undefined {
  if (!isRecord(value)) return undefined
  const { untilMs, hostUntilMs, clockOffsetMs } = value
  if (typeof untilMs !== 'number' || typeof hostUntilMs !== 'number') return undefined
  const offsetMs = typeof clockOffsetMs === 'number' ? clockOffsetMs : undefined
  return { untilMs, hostUntilMs, clockOffsetMs: offsetMs }
}

/** What stands in a stream beside events: what the streams say of themselves, and who writes. */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { NoticeKind, StreamNotice } from '@brokerwire/streams'
import type { Subscription } from './subjects.ts'

/** A relay began to write the stream, or ended. All instants are milliseconds since the Unix epoch, on its host's clock. */
export interface HolderNotice {
  readonly type: 'notice'
  readonly kind: 'holder'
  readonly state: 'taken' | 'released'
  readonly atMs: number
  readonly fleet: string
  readonly relay: string
  /** Drawn at each start of a relay. */
  readonly incarnation: string
  /** With `released`: until when each of the subscriptions that keep no cursor was complete. */
  readonly completeUntilMs?: Readonly<Partial<Record<Subscription, number>>> | undefined
}

/** Notices that stand in the stream: those that say to its consumers what they may have missed. */
export const RELAYED_NOTICES: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  'subscribed',
  'resumed',
  'gap',
  'suspect-silent',
  'conflicting-repeat',
  'name-too-long',
])

/** A notice of the stream, as a consumer gets it. */
export type RelayedNotice = StreamNotice | HolderNotice

/** @returns `undefined` where the body is no holder's notice. */
export function readHolder(body: string): HolderNotice | undefined {
  const value = parseJsonObject(body)
  if (value === undefined || value.kind !== 'holder') return undefined
  const { state, atMs, fleet, relay, incarnation, completeUntilMs } = value
  if ((state !== 'taken' && state !== 'released') || typeof atMs !== 'number') return undefined
  if (typeof fleet !== 'string' || typeof relay !== 'string' || typeof incarnation !== 'string')
    return undefined
  const complete = isRecord(completeUntilMs)
    ? Object.fromEntries(Object.entries(completeUntilMs).filter(([, ms]) => typeof ms === 'number'))
    : undefined
  return { type: 'notice', kind: 'holder', state, atMs, fleet, relay, incarnation, completeUntilMs: complete }
}

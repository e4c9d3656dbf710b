/** What a record means for somebody who watches it, and when the end of a token is announced. */
import type { Secret } from '@brokerwire/core'
import { VERIFICATION_WINDOW_MS } from './decision.ts'
import type { TokenRecord } from './record.ts'
import type { TokenLifecycle } from './types.ts'

/** A state with a name by which a change is seen. The name may hold a token: it never leaves the process. */
export interface NamedLifecycle {
  readonly name: string
  readonly item: TokenLifecycle
}

/** When the verification window of a pending token ends. */
export function deadlineOf(createdAtMs: number): number {
  return createdAtMs + VERIFICATION_WINDOW_MS
}

/** The present states of a record: at most a usable token and a pending one. */
export function lifecycleOf(record: TokenRecord, nowMs: number): readonly NamedLifecycle[] {
  const { current, pending, ended } = record
  const found: NamedLifecycle[] = []
  const remainingMs = current?.expiresAtMs === undefined ? undefined : current.expiresAtMs - nowMs
  if (current !== undefined && (remainingMs === undefined || remainingMs > 0)) {
    const { expiresAtMs } = current
    const item = { type: 'normal', expiresAtMs, remainingMs } as const
    found.push({ name: `normal ${expiresAtMs} ${current.token.reveal()}`, item })
  } else if (current !== undefined && pending === undefined) {
    found.push({ name: 'ended EXPIRED', item: { type: 'ended', status: 'EXPIRED' } })
  }
  if (pending !== undefined) {
    const deadlineMs = deadlineOf(pending.createdAtMs)
    const left = Math.max(0, deadlineMs - nowMs)
    const item = { type: 'pending', deadlineMs, remainingMs: left, renewal: found.length > 0 } as const
    found.push({ name: `pending ${pending.token.reveal()}`, item })
  }
  if (found.length > 0) return found
  if (ended !== undefined) return [{ name: `ended ${ended}`, item: { type: 'ended', status: ended } }]
  return [{ name: 'none', item: { type: 'none' } }]
}

/** Announces the coming end of a token: each threshold once for each token and expiry. */
export interface ExpiryNotices {
  /** The announcement that is due now. Thresholds that were passed unseen are left out but the nearest. */
  due(record: TokenRecord, nowMs: number): Extract<TokenLifecycle, { type: 'expiring' }> | undefined
  /** Milliseconds until the next announcement or the end; `undefined` where there is none. */
  nextInMs(record: TokenRecord, nowMs: number): number | undefined
}

/** @param thresholdsMs - The longest first. */
export function createExpiryNotices(thresholdsMs: readonly number[]): ExpiryNotices {
  let announced:
    | { readonly token: Secret; readonly expiresAtMs: number; readonly thresholdMs: number }
    | undefined
  return {
    due({ current }, nowMs) {
      if (current?.expiresAtMs === undefined) return undefined
      const { token, expiresAtMs } = current
      const remainingMs = expiresAtMs - nowMs
      const thresholdMs = thresholdsMs.filter((threshold) => remainingMs <= threshold).at(-1)
      if (remainingMs <= 0 || thresholdMs === undefined) return undefined
      const known =
        announced !== undefined &&
        announced.expiresAtMs === expiresAtMs &&
        announced.token.reveal() === token.reveal()
      if (known && announced !== undefined && announced.thresholdMs <= thresholdMs) return undefined
      announced = { token, expiresAtMs, thresholdMs }
      return { type: 'expiring', expiresAtMs, remainingMs, thresholdMs }
    },
    nextInMs({ current }, nowMs) {
      if (current?.expiresAtMs === undefined) return undefined
      const remainingMs = current.expiresAtMs - nowMs
      return [...thresholdsMs, 0].map((threshold) => remainingMs - threshold).find((left) => left > 0)
    },
  }
}

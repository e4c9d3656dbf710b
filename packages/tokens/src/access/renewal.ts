/** What `renew()` does until a token is there to be followed or used: it asks first, and creates where nothing else helps. */
import type { AbortSignalLike } from '@brokerwire/core'
import { callFailed } from '../api-call.ts'
import { storeFailed } from '../store-access.ts'
import type { Check } from './checks.ts'
import type { Creator } from './create.ts'
import { tooSoon } from './decision.ts'
import type { Follower } from './follow.ts'
import { expiryAfter, VERIFICATION_WINDOW_MS } from './machine.ts'
import type { AccessSettings } from './options.ts'
import { type StoredAccessToken, sameToken, type UsableToken } from './record.ts'
import type { AccessStore } from './store.ts'

/** A later expiry that makes a renewal needless. A service that counts a token's validity anew moves it by days. */
const MOVED_MS = 3_600_000
/** A pending token whose checks are refused is over by now, whatever they are refused for. */
const GIVEN_UP_MS = 86_400_000
/** Each round follows another create, of this process or of another. */
const MAX_ROUNDS = 10

/** Whether it is the token that it was, or there is none as before. */
const sameOrNone = (one: UsableToken | undefined, other: UsableToken | undefined): boolean =>
  one === undefined || other === undefined ? one === other : sameToken(one.token, other.token)

/** What a renewal works with. */
export interface RenewalParts {
  readonly settings: AccessSettings
  readonly store: AccessStore
  readonly check: Check
  readonly follower: Follower
  readonly creator: Creator
}

/**
 * Renews.
 *
 * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_CREATE_TOO_SOON`, `TOKEN_ANSWER_INVALID`, `TOKEN_STORE_FAILED`.
 */
export async function renew(parts: RenewalParts, signal: AbortSignalLike): Promise<void> {
  const { settings, store, creator } = parts
  const { clock, sandbox } = settings
  await store.discardMalformed()
  if (await settlePending(parts, signal)) return
  if (await isProlonged(parts, signal)) return
  const { current: kept } = await store.load()
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const record = await store.load()
    if (record.pending !== undefined || !sameOrNone(record.current, kept)) return
    const error = sandbox ? undefined : tooSoon(record, clock.now(), ['answered', 'unknown'])
    if (error !== undefined) throw error
    const { lastCreate } = record
    const wanted = (now: StoredAccessToken): boolean =>
      now.pending === undefined &&
      sameOrNone(now.current, kept) &&
      now.lastCreate?.atMs === lastCreate?.atMs &&
      now.lastCreate?.outcome === lastCreate?.outcome
    if (await creator.create(wanted, signal)) return
    // Another create was under way: what came of it decides whether there is one to be made.
  }
  throw storeFailed('compareAndSet', new Error('the record never came to rest'))
}

/** @returns A pending or new token was found: nothing is to be created. */
async function settlePending(
  { settings, store, follower }: RenewalParts,
  signal: AbortSignalLike,
): Promise<boolean> {
  const { clock } = settings
  const { pending } = await store.load()
  if (pending === undefined) return false
  const ageMs = (): number => Math.abs(clock.now() - pending.createdAtMs)
  if (ageMs() < VERIFICATION_WINDOW_MS) return true
  const looked = await follower.look(signal, true)
  const failure = looked?.failure
  // Whatever this host's clock says of the window: there are never two.
  if (looked?.failure === undefined && (looked?.status === 'NORMAL' || looked?.status === 'PENDING'))
    return true
  // A refusal for another reason says nothing of the token, and a clock that jumped is such a reason.
  const isGivenUp = failure?.kind === 'refused' && ageMs() >= GIVEN_UP_MS
  if (failure !== undefined && !isGivenUp) throw callFailed('check', failure)
  await store.apply({ type: 'given-up', token: pending.token })
  return false
}

/** @returns Whether the service has moved the expiry of the current token: that is all that is needed. */
async function isProlonged(
  { settings, store, check }: RenewalParts,
  signal: AbortSignalLike,
): Promise<boolean> {
  const { current } = await store.load()
  if (current === undefined) return false
  const checked = await check(current.token, signal)
  if (checked.failure !== undefined) {
    if (checked.failure.kind === 'refused') return false
    throw callFailed('check', checked.failure)
  }
  if (checked.status !== 'NORMAL') return false
  const expiresAtMs = expiryAfter(current.expiresAtMs, checked)
  if (expiresAtMs === current.expiresAtMs) return false
  const laterMs = expiresAtMs ?? Number.POSITIVE_INFINITY
  return laterMs - (current.expiresAtMs ?? 0) >= MOVED_MS && laterMs > settings.clock.now()
}

/** What `renew()` does until a token is there to be followed or used: it asks first, and creates where nothing else helps. */
import type { AbortSignalLike } from '@brokerwire/core'
import { callFailed } from '../api-call.ts'
import { storeFailed } from '../store-access.ts'
import { tooSoon, VERIFICATION_WINDOW_MS } from './decision.ts'
import type { AccessSettings } from './options.ts'
import { sameToken, type TokenRecord, withoutPending } from './record.ts'
import type { UsableToken } from './state.ts'
import type { AccessSteps } from './steps.ts'
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

/**
 * Renews.
 *
 * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_CREATE_TOO_SOON`, `TOKEN_ANSWER_INVALID`, `TOKEN_STORE_FAILED`.
 */
export async function renew(
  settings: AccessSettings,
  store: AccessStore,
  steps: AccessSteps,
  stop: AbortSignalLike,
): Promise<void> {
  const { clock, sandbox } = settings
  await store.discardMalformed()
  if (await settlePending(settings, store, steps, stop)) return
  const { current } = await store.load()
  if (current !== undefined) {
    const { state, failure } = await steps.verify(current, stop)
    if (failure !== undefined && failure.kind !== 'refused') throw callFailed('check', failure)
    const laterMs = state.name === 'normal' ? (state.expiresAtMs ?? Number.POSITIVE_INFINITY) : 0
    const isMoved = laterMs !== current.expiresAtMs && laterMs - (current.expiresAtMs ?? 0) >= MOVED_MS
    if (isMoved && laterMs > clock.now()) return
  }
  const { current: kept } = await store.load()
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const record = await store.load()
    if (record.pending !== undefined || !sameOrNone(record.current, kept)) return
    const error = sandbox ? undefined : tooSoon(record, clock.now(), ['answered', 'unknown'])
    if (error !== undefined) throw error
    const { lastCreate } = record
    const wanted = (now: TokenRecord): boolean =>
      now.pending === undefined &&
      sameOrNone(now.current, kept) &&
      now.lastCreate?.atMs === lastCreate?.atMs &&
      now.lastCreate?.outcome === lastCreate?.outcome
    if (await steps.create(wanted, stop)) return
    // Another create was under way: what came of it decides whether there is one to be made.
  }
  throw storeFailed('compareAndSet', new Error('the record never came to rest'))
}

/** @returns A pending or new token was found: nothing is to be created. */
async function settlePending(
  { clock }: AccessSettings,
  store: AccessStore,
  steps: AccessSteps,
  stop: AbortSignalLike,
): Promise<boolean> {
  const { pending } = await store.load()
  if (pending === undefined) return false
  if (Math.abs(clock.now() - pending.createdAtMs) < VERIFICATION_WINDOW_MS) return true
  const looked = await steps.look(stop, true)
  if (looked?.outcome === 'usable') return true
  const { state, failure } = looked ?? {}
  // Whatever this host's clock says of the window: there are never two.
  if (failure === undefined && state?.name === 'pending' && state.pending.status === 'PENDING') return true
  // A refusal for another reason says nothing of the token, and a clock that jumped is such a reason.
  const isGivenUp = failure?.kind === 'refused' && Math.abs(clock.now() - pending.createdAtMs) >= GIVEN_UP_MS
  if (failure !== undefined && !isGivenUp) throw callFailed('check', failure)
  await store.change((record) =>
    sameToken(record.pending?.token, pending.token) ? withoutPending(record, 'EXPIRED') : undefined,
  )
  return false
}

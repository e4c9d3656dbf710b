/**
 * How a caller comes to a usable token: what is stored is read, what {@link decideGet} says is done, and both again
 * until a token can be used. All callers of a process share each piece of work.
 */
import type { AbortSignalLike, Secret } from '@brokerwire/core'
import { throwIfAborted, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import type { SingleFlight } from '../single-flight.ts'
import { changesTooOften } from '../store-access.ts'
import { callFailed } from '../token-call.ts'
import { answerInvalid, isTokensError, TokensError } from '../tokens-error.ts'
import type { AccessToken } from '../types.ts'
import { type Check, createCheck, createInquiry } from './checks.ts'
import { type Creator, createCreator } from './create.ts'
import { createTooSoon } from './create-budget.ts'
import { decideGet, type GetDecision, needsSecondFactor } from './decision.ts'
import { createFollower, verificationExpired } from './follow.ts'
import { deadlineOf } from './lifecycle.ts'
import { isOver, VERIFICATION_WINDOW_MS } from './machine.ts'
import { type PendingToken, type StoredAccessToken, sameToken, type UsableToken } from './record.ts'
import type { AccessContext } from './store.ts'
import type { RejectionOutcome } from './types.ts'

/** Each round follows a change in the store; so many in one call mean that it does not keep what it is given. */
const MAX_ROUNDS = 100
/** How long a caller that does not have to wait waits for the service. */
const LOOK_MS = 5000
/** After a renewal in passing, whatever became of it: the next one not before. */
const QUIET_MS = 30_000
/** A later expiry that makes a renewal needless. A service that counts a token's validity anew moves it by days. */
const MOVED_MS = 3_600_000
/** A pending token whose checks are refused is over by now, whatever they are refused for. */
const GIVEN_UP_MS = 86_400_000
/** Each round of a renewal follows another create, of this process or of another. */
const MAX_CREATES = 10

/** The largest instant of a `Date`. */
const MAX_DATE_MS = 8_640_000_000_000_000

type Signal = AbortSignalLike | undefined

function tokenPending({ createdAtMs }: PendingToken): TokensError<'TOKEN_PENDING'> {
  const deadlineMs = deadlineOf(createdAtMs)
  // A record may hold any number.
  const until = Math.abs(deadlineMs) <= MAX_DATE_MS ? ` until ${new Date(deadlineMs).toISOString()}` : ''
  const message = `the token awaits its second factor${until}: enter the code in the broker's app, then call get() again`
  return new TokensError('TOKEN_PENDING', message, { details: { deadlineMs }, retryable: true })
}

/**
 * The ways to a token.
 *
 * @param work - What is under way: all that is done here is shared by it, and ends where it is stopped.
 * @param onUse - Told of each token that is handed out.
 */
export function createObtainer(
  context: AccessContext,
  work: SingleFlight,
  onUse: (record: StoredAccessToken) => Promise<void>,
) {
  const { clock, sandbox, store } = context
  const check = createCheck(context)
  const verify = ({ token }: UsableToken, signal: Signal): ReturnType<Check> =>
    work.run(`verify ${token.reveal()}`, (stop) => check(token, stop), signal)
  const ask = createInquiry(context, verify)
  const follower = createFollower(context, check)
  const creator = createCreator(context)
  const parts = { ...context, check, create: creator.create }
  let renewedAtMs = Number.NEGATIVE_INFINITY

  const decide = (record: StoredAccessToken): GetDecision =>
    decideGet(record, { ...context, nowMs: clock.now() })
  const isAboutToEnd = (record: StoredAccessToken): boolean => {
    const decision = decide(record)
    return decision.do === 'use' && decision.renewNow
  }
  const wantsCreate = (record: StoredAccessToken): boolean => decide(record).do === 'create'

  const create = (wanted: (record: StoredAccessToken) => boolean, signal: Signal): Promise<boolean> =>
    work.run('create', (stop) => creator.create(wanted, stop), signal)
  /** Tries once more to save a token that could not be saved. */
  const save = (signal: Signal): Promise<boolean> => create(() => false, signal)
  const follow = ({ token }: PendingToken, signal: Signal): Promise<void> =>
    work.run('follow', (stop) => follower.follow(token, stop), signal)

  /** A look whose failure, or whose taking too long, says no more than that nothing is decided yet. */
  const look = async (pending: PendingToken, signal: Signal): Promise<void> => {
    const once = (own: AbortSignalLike) => work.run('look', (stop) => follower.look(stop), own)
    if (!work.has('follow'))
      await withTimeoutOrUndefined(clock, LOOK_MS, signal, once).catch((error: unknown) => {
        if (signal?.aborted || !isTokensError(error, 'TOKEN_CALL_FAILED')) throw error
      })
    if (sameToken((await store.load()).pending?.token, pending.token)) throw tokenPending(pending)
  }

  /** The old token is still good: a renewal that fails, or takes long, is tried again at a later call. */
  const renewInPassing = async (signal: Signal): Promise<void> => {
    renewedAtMs = clock.now()
    const once = (own: AbortSignalLike) => create(isAboutToEnd, own)
    await withTimeoutOrUndefined(clock, LOOK_MS, signal, once).catch((error: unknown) => {
      if (signal?.aborted) throw error
    })
  }

  const used = async (record: StoredAccessToken, { token, expiresAtMs }: UsableToken) => {
    await onUse(record)
    if (record.pending !== undefined && !work.has('follow') && !work.has('look'))
      // In passing: a renewal that waits for its second factor is noticed without anybody waiting for it.
      work.run('look', (stop) => follower.look(stop)).catch(() => {})
    if (creator.hasUnsaved() && !work.has('create')) save(undefined).catch(() => {})
    return { token, expiresAtMs }
  }

  const obtain = async (wait: boolean, signal: Signal, mayAskPerson = true): Promise<AccessToken> => {
    let followed: PendingToken | undefined
    let hasSaved = false
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      throwIfAborted(signal)
      const record = await store.load()
      const decision = decide(record)
      switch (decision.do) {
        case 'use':
          if (!decision.renewNow || Math.abs(clock.now() - renewedAtMs) < QUIET_MS || creator.tooSoon())
            return used(record, decision.token)
          await renewInPassing(signal)
          break
        case 'create': {
          // A rejected request is no wish of a person: it never starts a second factor.
          if (!mayAskPerson && !sandbox) throw needsSecondFactor('INVALID')
          const tooSoon = creator.tooSoon()
          if (tooSoon !== undefined) throw tooSoon
          await create(wantsCreate, signal)
          break
        }
        case 'follow':
          followed = decision.pending
          await (wait ? follow(followed, signal) : look(followed, signal))
          break
        case 'verify': {
          const normal = await ask(decision.token, wait, signal, wait ? undefined : LOOK_MS)
          // Either answer may be the wrong one, or this host's clock: nothing is decided by it, and the token is kept.
          if (normal !== undefined && isOver(normal, clock.now()))
            throw answerInvalid('expires_at', 'a time in the future', 'a time that is over here')
          break
        }
        case 'fail':
          if (!creator.hasUnsaved() || hasSaved) throw failureOf(decision.error, followed)
          hasSaved = true
          await (wait ? save(signal) : withTimeoutOrUndefined(clock, LOOK_MS, signal, save))
      }
    }
    throw changesTooOften()
  }

  return {
    obtain,
    verify,
    async renewed(wait: boolean, signal: Signal): Promise<AccessToken> {
      await work.run('renew', (stop) => renew(parts, stop), signal)
      const { pending, current } = await store.load()
      if (pending === undefined) return obtain(wait, signal)
      if (!wait) throw tokenPending(pending)
      await follow(pending, signal)
      const found = await obtain(wait, signal)
      // The old one, where nothing came of the new one: no renewal, and no success.
      if (!sameToken(found.token, current?.token)) return found
      const status = clock.now() < deadlineOf(pending.createdAtMs) ? 'INVALID' : 'EXPIRED'
      throw failureOf(needsSecondFactor(status), pending)
    },
    /** What to do where the service refused a request that carried `token`. */
    async afterRejection(token: Secret, signal: Signal): Promise<RejectionOutcome> {
      const { current } = await store.load()
      if (current !== undefined && sameToken(current.token, token) && (await ask(current, false, signal)))
        return { changed: false }
      const next = await obtain(false, signal, false)
      return sameToken(next.token, token) ? { changed: false } : { changed: true, token: next }
    },
  }
}

/** A token that this call has followed to the end of its window has an error of its own. */
function failureOf(error: TokensError, followed: PendingToken | undefined): TokensError {
  const isExpired =
    isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') && error.details.lastStatus === 'EXPIRED'
  return followed !== undefined && isExpired ? verificationExpired(followed.createdAtMs) : error
}

type RenewParts = AccessContext & { readonly check: Check; readonly create: Creator['create'] }

/**
 * What `renew()` does until a token is there to be followed or used: it asks first, and creates where nothing else
 * helps.
 *
 * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_CREATE_TOO_SOON`, `TOKEN_RESPONSE_INVALID`, `TOKEN_STORE_FAILED`.
 */
async function renew(parts: RenewParts, signal: AbortSignalLike): Promise<void> {
  const { clock, sandbox, store } = parts
  await store.discardMalformed()
  if (await settlePending(parts, signal)) return
  if (await isProlonged(parts, signal)) return
  const { current: kept } = await store.load()
  for (let round = 0; round < MAX_CREATES; round += 1) {
    const record = await store.load()
    if (record.pending !== undefined || !sameToken(record.current?.token, kept?.token)) return
    const error = sandbox ? undefined : createTooSoon(record, clock.now(), ['answered', 'unknown'])
    if (error !== undefined) throw error
    const { lastCreate } = record
    const wanted = (now: StoredAccessToken): boolean =>
      now.pending === undefined &&
      sameToken(now.current?.token, kept?.token) &&
      now.lastCreate?.atMs === lastCreate?.atMs &&
      now.lastCreate?.outcome === lastCreate?.outcome
    if (await parts.create(wanted, signal)) return
    // Another create was under way: what came of it decides whether there is one to be made.
  }
  throw changesTooOften()
}

/** @returns A pending or new token was found: nothing is to be created. */
async function settlePending({ store, clock, check }: RenewParts, signal: AbortSignalLike) {
  const { pending } = await store.load()
  if (pending === undefined) return false
  const ageMs = (): number => Math.abs(clock.now() - pending.createdAtMs)
  if (ageMs() < VERIFICATION_WINDOW_MS) return true
  const checked = await check(pending.token, signal, true)
  // Whatever this host's clock says of the window: there are never two.
  if (checked.ok && ['NORMAL', 'PENDING'].includes(checked.value.status)) return true
  // A refusal for another reason says nothing of the token, and a clock that jumped is such a reason.
  if (!checked.ok && !(checked.failure.kind === 'rejected' && ageMs() >= GIVEN_UP_MS))
    throw callFailed('check', checked.failure)
  await store.apply({ type: 'abandoned', token: pending.token })
  return false
}

/** @returns Whether the service has moved the expiry of the current token: that is all that is needed. */
async function isProlonged({ store, clock, check }: RenewParts, signal: AbortSignalLike) {
  const { current } = await store.load()
  if (current === undefined) return false
  const checked = await check(current.token, signal)
  if (!checked.ok && checked.failure.kind !== 'rejected') throw callFailed('check', checked.failure)
  const { current: after } = await store.load()
  if (!sameToken(after?.token, current.token) || after?.expiresAtMs === current.expiresAtMs) return false
  const laterMs = after?.expiresAtMs ?? Number.POSITIVE_INFINITY
  return laterMs - (current.expiresAtMs ?? 0) >= MOVED_MS && laterMs > clock.now()
}

/**
 * Acquires a usable token: reads the store, does what {@link decideGet} decides, and repeats both until a token is
 * usable. Callers in one process share each check, create and poll that is running.
 */
import { type AbortSignalLike, escapeControlChars, type Secret } from '@brokerwire/core'
import { throwIfAborted, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import type { SingleFlight } from '../single-flight.ts'
import { tooManyConcurrentChanges } from '../store-access.ts'
import { callFailed } from '../token-call.ts'
import { isTokensError, responseInvalid, TokensError } from '../tokens-error.ts'
import type { AccessToken, TokenStatus } from '../types.ts'
import { type Check, createCheck, createServiceVerifier } from './checks.ts'
import { createTokenCreator, type TokenCreator } from './create.ts'
import { createTooSoon } from './create-budget.ts'
import { decideGet, type GetDecision, secondFactorRequired } from './decision.ts'
import { verificationDeadline } from './lifecycle.ts'
import { isExpired, VERIFICATION_WINDOW_MS } from './machine.ts'
import { type PendingToken, type StoredAccessToken, sameToken, type UsableToken } from './record.ts'
import type { AccessContext } from './store.ts'
import type { RejectionOutcome } from './types.ts'
import { createVerificationPoller, verificationExpired } from './verification.ts'

/**
 * The maximum number of rounds in one call. Each further round follows a change in the store, so after this many
 * rounds the store is assumed not to keep the values that it accepts.
 */
const MAX_ROUNDS = 100
/** How long a caller with `wait: false` waits for the service. */
const CHECK_TIMEOUT_MS = 5000
/** Pause between two background renewals, whether or not the first one succeeded. */
const RENEW_COOLDOWN_MS = 30_000
/**
 * If a check moves the expiry of the token by at least this much, no renewal is needed. A service that extends a
 * token moves its expiry by days.
 */
const MIN_EXTENSION_MS = 3_600_000
/**
 * The age from which a renewal abandons a pending token if the service rejects its check with any error code.
 */
const ABANDON_AFTER_MS = 86_400_000
/**
 * The maximum number of rounds in one renewal. Each further round follows a create of this or another
 * process.
 */
const MAX_CREATES = 10

/** The largest instant of a `Date`. */
const MAX_DATE_MS = 8_640_000_000_000_000

type Signal = AbortSignalLike | undefined

function tokenPending({ createdAtMs }: PendingToken): TokensError<'TOKEN_PENDING'> {
  const deadlineMs = verificationDeadline(createdAtMs)
  // `createdAtMs` is from a stored record, so it may be any number, also one that `Date` cannot represent.
  const until = Math.abs(deadlineMs) <= MAX_DATE_MS ? ` until ${new Date(deadlineMs).toISOString()}` : ''
  const message = `the token waits for its second factor${until}. Enter the code in the broker's app, then call get() again`
  return new TokensError('TOKEN_PENDING', message, { details: { deadlineMs }, retryable: true })
}

/**
 * Creates the functions that acquire tokens.
 *
 * @param work - The running work that callers share. All of it is aborted when `work` is stopped.
 * @param onUse - Called with the record of each token that is returned.
 */
export function createTokenAcquirer(
  context: AccessContext,
  work: SingleFlight,
  onUse: (record: StoredAccessToken) => Promise<void>,
) {
  const { clock, createsWithoutPerson, store } = context
  const check = createCheck(context)
  const verify = ({ token }: Pick<UsableToken, 'token'>, signal: Signal): ReturnType<Check> =>
    work.run(`verify ${token.reveal()}`, (stop) => check(token, stop), signal)
  const verifyWithService = createServiceVerifier(context, verify)
  const poller = createVerificationPoller(context, check)
  const creator = createTokenCreator(context)
  const parts = { ...context, check, create: creator.create }
  /** When this process last began a background renewal. */
  let renewedAtMs = Number.NEGATIVE_INFINITY

  const decide = (record: StoredAccessToken): GetDecision =>
    decideGet(record, { ...context, nowMs: clock.now() })
  const shouldRenewNow = (record: StoredAccessToken): boolean => {
    const decision = decide(record)
    return decision.do === 'use' && decision.renewNow
  }
  const wantsCreate = (record: StoredAccessToken): boolean => decide(record).do === 'create'

  const create = (shouldCreate: (record: StoredAccessToken) => boolean, signal: Signal): Promise<boolean> =>
    work.run('create', (stop) => creator.create(shouldCreate, stop), signal)
  /** Tries again to save a token that could not be saved. */
  const saveUnsaved = (signal: Signal): Promise<boolean> => create(() => false, signal)
  const pollUntilVerified = ({ token }: PendingToken, signal: Signal): Promise<void> =>
    work.run('poll', (stop) => poller.pollUntilVerified(token, stop), signal)

  /**
   * Checks a pending token once, and throws `TOKEN_PENDING` if the token is still pending. A check that fails
   * or takes too long does not change that.
   */
  const checkOnce = async (pending: PendingToken, signal: Signal): Promise<void> => {
    const once = (limited: AbortSignalLike) =>
      work.run('check-pending', (stop) => poller.checkOnce(stop), limited)
    if (!work.has('poll'))
      await withTimeoutOrUndefined(clock, CHECK_TIMEOUT_MS, signal, once).catch((error: unknown) => {
        if (signal?.aborted || !isTokensError(error, 'TOKEN_CALL_FAILED')) throw error
      })
    if (sameToken((await store.load()).pending?.token, pending.token)) throw tokenPending(pending)
  }

  /** Renews a token that is still usable. If the renewal fails or takes too long, a later call tries it again. */
  const refreshInBackground = async (signal: Signal): Promise<void> => {
    renewedAtMs = clock.now()
    const once = (limited: AbortSignalLike) => create(shouldRenewNow, limited)
    await withTimeoutOrUndefined(clock, CHECK_TIMEOUT_MS, signal, once).catch((error: unknown) => {
      if (signal?.aborted) throw error
    })
  }

  const useToken = async (record: StoredAccessToken, { token, expiresAtMs }: UsableToken) => {
    await onUse(record)
    if (record.pending !== undefined && !work.has('poll') && !work.has('check-pending'))
      // Checks the pending token in the background, so that a verified renewal is noticed although no caller
      // waits for it.
      work.run('check-pending', (stop) => poller.checkOnce(stop)).catch(() => {})
    if (creator.hasUnsaved() && !work.has('create')) saveUnsaved(undefined).catch(() => {})
    return { token, expiresAtMs }
  }

  const acquireToken = async (wait: boolean, signal: Signal, mayAskPerson = true): Promise<AccessToken> => {
    let polled: PendingToken | undefined
    let hasSaved = false
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      throwIfAborted(signal)
      const record = await store.load()
      const decision = decide(record)
      switch (decision.do) {
        case 'use':
          if (
            !decision.renewNow ||
            Math.abs(clock.now() - renewedAtMs) < RENEW_COOLDOWN_MS ||
            creator.tooSoon()
          )
            return useToken(record, decision.token)
          await refreshInBackground(signal)
          break
        case 'create': {
          // After a rejected request, no create may start a second factor, because no person has asked for
          // one.
          if (!mayAskPerson && !createsWithoutPerson) throw secondFactorRequired('INVALID')
          const tooSoon = creator.tooSoon()
          if (tooSoon !== undefined) throw tooSoon
          await create(wantsCreate, signal)
          break
        }
        case 'poll':
          polled = decision.pending
          await (wait ? pollUntilVerified(polled, signal) : checkOnce(polled, signal))
          break
        case 'verify': {
          const confirmed = await verifyWithService(
            decision.token,
            wait,
            signal,
            wait ? undefined : CHECK_TIMEOUT_MS,
          )
          // Either the response or this host's clock may be wrong, so the token is kept.
          if (confirmed !== undefined && isExpired(confirmed, clock.now()))
            throw responseInvalid(
              'expires_at',
              'a time in the future',
              "a time in the past by this host's clock",
            )
          break
        }
        case 'fail':
          if (!creator.hasUnsaved() || hasSaved) throw toCallerError(decision.error, polled)
          hasSaved = true
          await (wait
            ? saveUnsaved(signal)
            : withTimeoutOrUndefined(clock, CHECK_TIMEOUT_MS, signal, saveUnsaved))
      }
    }
    throw tooManyConcurrentChanges()
  }

  return {
    acquireToken,
    verify,
    async renewToken(wait: boolean, signal: Signal): Promise<AccessToken> {
      await work.run('renew', (stop) => renew(parts, stop), signal)
      const { pending, current } = await store.load()
      if (pending === undefined) return acquireToken(wait, signal)
      if (!wait) throw tokenPending(pending)
      await pollUntilVerified(pending, signal)
      const found = await acquireToken(wait, signal)
      // The renewal failed if the old token is still the current one.
      if (!sameToken(found.token, current?.token)) return found
      // Asks the service why the new token ended. The record does not contain that, and another process may
      // have received the response of the last check.
      const ended = await verify(pending, signal)
      throw toCallerError(renewalFailed(ended.ok ? ended.value.status : pending.status), pending)
    },
    /**
     * Checks `token` after the service rejected a request that carried it, and gets another token if it has
     * ended.
     */
    async afterRejection(token: Secret, signal: Signal): Promise<RejectionOutcome> {
      const { current } = await store.load()
      if (
        current !== undefined &&
        sameToken(current.token, token) &&
        (await verifyWithService(current, false, signal))
      )
        return { changed: false }
      const next = await acquireToken(false, signal, false)
      return sameToken(next.token, token) ? { changed: false } : { changed: true, token: next }
    },
  }
}

/** Creates the error of a renewal whose new token has ended while the old one is still usable. */
function renewalFailed(lastStatus: TokenStatus): TokensError<'TOKEN_SECOND_FACTOR_REQUIRED'> {
  const text = `the new token has ended (last known status: ${escapeControlChars(lastStatus, 64)}), and the token before it stays in use. Call renew() when a person can enter a code`
  return new TokensError('TOKEN_SECOND_FACTOR_REQUIRED', text, { details: { lastStatus } })
}

/** Replaces the error of a call whose polled token has expired by `TOKEN_VERIFICATION_EXPIRED`. */
function toCallerError(error: TokensError, polled: PendingToken | undefined): TokensError {
  const isExpired =
    isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') && error.details.lastStatus === 'EXPIRED'
  return polled !== undefined && isExpired ? verificationExpired(polled.createdAtMs) : error
}

type RenewParts = AccessContext & { readonly check: Check; readonly create: TokenCreator['create'] }

/**
 * The first part of `renew()`: checks the existing tokens, and creates a new one only if no token is pending and
 * the current one was not extended.
 *
 * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_CREATE_TOO_SOON`, `TOKEN_RESPONSE_INVALID`, `TOKEN_STORE_FAILED`.
 */
async function renew(parts: RenewParts, signal: AbortSignalLike): Promise<void> {
  const { clock, createsWithoutPerson, store } = parts
  await store.discardMalformed()
  if (await resolvePending(parts, signal)) return
  if (await isExtended(parts, signal)) return
  const { current: replaced } = await store.load()
  for (let round = 0; round < MAX_CREATES; round += 1) {
    const record = await store.load()
    if (record.pending !== undefined || !sameToken(record.current?.token, replaced?.token)) return
    const error = createsWithoutPerson
      ? undefined
      : createTooSoon(record, clock.now(), ['answered', 'unknown'])
    if (error !== undefined) throw error
    const { lastCreate } = record
    const shouldCreate = (now: StoredAccessToken): boolean =>
      now.pending === undefined &&
      sameToken(now.current?.token, replaced?.token) &&
      now.lastCreate?.atMs === lastCreate?.atMs &&
      now.lastCreate?.outcome === lastCreate?.outcome
    if (await parts.create(shouldCreate, signal)) return
    // Another create was running. After its outcome, the next round decides whether a create is still needed.
  }
  throw tooManyConcurrentChanges()
}

/**
 * Checks a pending token whose verification window has ended, and abandons it unless the service still
 * accepts it.
 *
 * @returns Whether a pending or new token was found, so that no create is needed.
 */
async function resolvePending({ store, clock, check }: RenewParts, signal: AbortSignalLike) {
  const { pending } = await store.load()
  if (pending === undefined) return false
  const ageMs = (): number => Math.abs(clock.now() - pending.createdAtMs)
  if (ageMs() < VERIFICATION_WINDOW_MS) return true
  const checked = await check(pending.token, signal, true)
  // The service decides whether the pending token has ended, not this host's clock, because there must never
  // be two pending tokens.
  if (checked.ok && ['NORMAL', 'PENDING'].includes(checked.value.status)) return true
  // The service may have rejected the check for another reason, such as a wrong clock. That is no evidence
  // about the token, unless the token is very old.
  if (!checked.ok && !(checked.failure.kind === 'rejected' && ageMs() >= ABANDON_AFTER_MS))
    throw callFailed('check', checked.failure)
  await store.apply({ type: 'abandoned', token: pending.token })
  return false
}

/**
 * Checks the current token.
 *
 * @returns Whether the service has extended the current token, so that no create is needed.
 */
async function isExtended({ store, clock, check }: RenewParts, signal: AbortSignalLike) {
  const { current } = await store.load()
  if (current === undefined) return false
  const { token, expiresAtMs: knownMs } = current
  const checked = await check(token, signal)
  if (!checked.ok && checked.failure.kind !== 'rejected') throw callFailed('check', checked.failure)
  const { current: after } = await store.load()
  // Without a known expiry, a check cannot show that the service moved it.
  if (!sameToken(after?.token, token) || knownMs === undefined) return false
  const laterMs = after?.expiresAtMs ?? Number.POSITIVE_INFINITY
  return laterMs - knownMs >= MIN_EXTENSION_MS && laterMs > clock.now()
}

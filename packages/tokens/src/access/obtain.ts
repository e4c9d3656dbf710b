/**
 * How a caller comes to a usable token: what is stored is read, what {@link decideGet} says is done, and both again
 * until a token can be used. All callers of a process share each piece of work.
 */
import { type AbortSignalLike, type Secret, throwIfAborted } from '@brokerwire/core'
import { type SingleFlight, withTimeLimit } from '../single-flight.ts'
import { storeFailed } from '../store-access.ts'
import { answerInvalid, isTokensError, TokensError } from '../tokens-error.ts'
import type { Check, Inquiry } from './checks.ts'
import type { Creator } from './create.ts'
import { type DecisionContext, decideGet, type GetDecision, needsSecondFactor } from './decision.ts'
import { type Follower, verificationExpired } from './follow.ts'
import { deadlineOf } from './lifecycle.ts'
import { isOver } from './machine.ts'
import type { AccessSettings } from './options.ts'
import { type PendingToken, type StoredAccessToken, sameToken, type UsableToken } from './record.ts'
import { renew } from './renewal.ts'
import type { AccessStore } from './store.ts'
import type { AccessToken, RejectionOutcome } from './types.ts'

/** Each round follows a change in the store; so many in one call mean that it does not keep what it is given. */
const MAX_ROUNDS = 100
/** How long a caller that does not have to wait waits for the service. */
const LOOK_MS = 5000
/** After a renewal in passing, whatever became of it: the next one not before. */
const QUIET_MS = 30_000

/** What one set of access tokens is made of. */
export interface AccessParts {
  readonly settings: AccessSettings
  readonly store: AccessStore
  readonly work: SingleFlight
  readonly check: Check
  readonly inquiry: Inquiry
  readonly follower: Follower
  readonly creator: Creator
  /** Told of each token that is handed out. */
  onUse(record: StoredAccessToken): Promise<void>
  /** @throws TokensError `TOKEN_CLOSED`. */
  requireOpen(operation: string): void
}

type Operation = 'get' | 'renew' | 'reportRejected'
type Signal = AbortSignalLike | undefined
type Decided<Do> = Extract<GetDecision, { readonly do: Do }>

/** The ways to a token. */
export interface Obtainer {
  obtain(operation: Operation, wait: boolean, signal: Signal): Promise<AccessToken>
  renewed(wait: boolean, signal: Signal): Promise<AccessToken>
  /** What to do where the service refused a request that carried `token`. */
  afterRejection(token: Secret, signal: Signal): Promise<RejectionOutcome>
}

function tokenPending({ createdAtMs }: PendingToken): TokensError<'TOKEN_PENDING'> {
  return new TokensError('TOKEN_PENDING', 'the token awaits its second factor in the broker’s app', {
    details: { deadlineMs: deadlineOf(createdAtMs) },
    retryable: true,
  })
}

/** Either answer may be the wrong one, or this host's clock: nothing is decided by it, and the token is kept. */
function normalPastExpiry(): TokensError<'TOKEN_ANSWER_INVALID'> {
  return answerInvalid('expires_at', 'a time in the future of a NORMAL token', 'a time that is over here')
}

/** Makes them. */
export function createObtainer(parts: AccessParts): Obtainer {
  const { settings, store, work, inquiry, follower, creator } = parts
  const { clock, sandbox, renewBeforeMs } = settings
  let renewedAtMs = Number.NEGATIVE_INFINITY

  const context = (): DecisionContext => ({ nowMs: clock.now(), sandbox, renewBeforeMs })
  const isAboutToEnd = (record: StoredAccessToken): boolean => {
    const decision = decideGet(record, context())
    return decision.do === 'use' && decision.renewNow
  }
  const wantsCreate = (record: StoredAccessToken): boolean => decideGet(record, context()).do === 'create'

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
      await withTimeLimit(clock, LOOK_MS, signal, once).catch((error: unknown) => {
        if (signal?.aborted || !isTokensError(error, 'TOKEN_CALL_FAILED')) throw error
      })
    if (sameToken((await store.load()).pending?.token, pending.token)) throw tokenPending(pending)
  }

  /** The old token is still good: a renewal that fails, or takes long, is tried again at a later call. */
  const renewInPassing = async (signal: Signal): Promise<void> => {
    renewedAtMs = clock.now()
    await withTimeLimit(clock, LOOK_MS, signal, (own) => create(isAboutToEnd, own)).catch(
      (error: unknown) => {
        if (signal?.aborted) throw error
      },
    )
  }

  const verify = async ({ token }: Decided<'verify'>, wait: boolean, signal: Signal): Promise<void> => {
    if (inquiry.isKnownOver(token)) throw normalPastExpiry()
    const normal = await inquiry.ask(token, wait, signal, wait ? undefined : LOOK_MS)
    if (normal !== undefined && isOver(normal, clock.now())) throw normalPastExpiry()
  }

  const used = async (
    record: StoredAccessToken,
    { token, expiresAtMs }: UsableToken,
  ): Promise<AccessToken> => {
    await parts.onUse(record)
    if (record.pending !== undefined && !work.has('follow') && !work.has('look'))
      // In passing: a renewal that waits for its second factor is noticed without anybody waiting for it.
      work.run('look', (stop) => follower.look(stop)).catch(() => {})
    if (creator.hasUnsaved() && !work.has('create')) save(undefined).catch(() => {})
    return { token, expiresAtMs }
  }

  const obtain: Obtainer['obtain'] = async (operation, wait, signal) => {
    let followed: PendingToken | undefined
    let hasRenewed = false
    let hasSaved = false
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      parts.requireOpen(operation)
      throwIfAborted(signal)
      const record = await store.load()
      const decision = decideGet(record, context())
      switch (decision.do) {
        case 'use': {
          const isQuiet = hasRenewed || Math.abs(clock.now() - renewedAtMs) < QUIET_MS
          if (!decision.renewNow || isQuiet) return used(record, decision.token)
          hasRenewed = true
          await renewInPassing(signal)
          break
        }
        case 'create':
          // A rejected request is no wish of a person: it never starts a second factor.
          if (operation === 'reportRejected' && !sandbox) throw needsSecondFactor('INVALID')
          await create(wantsCreate, signal)
          break
        case 'follow':
          followed = decision.pending
          await (wait ? follow(followed, signal) : look(followed, signal))
          break
        case 'verify':
          await verify(decision, wait, signal)
          break
        case 'fail':
          if (!creator.hasUnsaved() || hasSaved) throw failureOf(decision, followed)
          hasSaved = true
          await (wait ? save(signal) : withTimeLimit(clock, LOOK_MS, signal, save))
      }
    }
    throw storeFailed('compareAndSet', new Error('the record never came to rest'))
  }

  return {
    obtain,
    async renewed(wait, signal) {
      await work.run('renew', (stop) => renew(parts, stop), signal)
      const { pending } = await store.load()
      if (pending !== undefined) {
        if (!wait) throw tokenPending(pending)
        await follow(pending, signal)
      }
      return obtain('renew', wait, signal)
    },
    async afterRejection(token, signal) {
      const { current } = await store.load()
      if (current !== undefined && sameToken(current.token, token)) {
        if (inquiry.isKnownNormal(current) || (await inquiry.ask(current, false, signal)))
          return { changed: false }
      }
      const next = await obtain('reportRejected', false, signal)
      return sameToken(next.token, token) ? { changed: false } : { changed: true, token: next }
    },
  }
}

/** A token that this call has followed to the end of its window has an error of its own. */
function failureOf({ error }: Decided<'fail'>, followed: PendingToken | undefined): TokensError {
  const isExpired =
    isTokensError(error, 'TOKEN_NEEDS_SECOND_FACTOR') && error.details.lastStatus === 'EXPIRED'
  return followed !== undefined && isExpired ? verificationExpired(followed.createdAtMs) : error
}

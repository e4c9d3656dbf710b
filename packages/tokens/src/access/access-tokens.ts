/**
 * The runner of access tokens: one token for all callers and all processes that share the store.
 *
 * Nothing runs by itself: no timer polls or renews unless somebody waits for it (the keep-alive option is the
 * exception). What the store holds is read on every `get()`, so a token that another process has replaced is not
 * used again.
 */
import {
  type AbortSignalLike,
  abortable,
  closable,
  describe,
  ownAbort,
  readSignal,
  requireObject,
  revealSecret,
  Secret,
  throwIfAborted,
} from '@brokerwire/core'
import { callApi, callFailed } from '../api-call.ts'
import { createFlights } from '../flights.ts'
import { forAWhile } from '../for-a-while.ts'
import { storeFailed } from '../store-access.ts'
import { answerInvalid, isTokensError, optionInvalid, TokensError } from '../tokens-error.ts'
import { type DecisionContext, decideGet, isOver, needsSecondFactor } from './decision.ts'
import { createInquiry } from './inquiry.ts'
import { createKeepAlive } from './keep-alive.ts'
import { createExpiryNotices, deadlineOf } from './lifecycle.ts'
import { type AccessTokensOptions, readAccessOptions, readGetOptions } from './options.ts'
import { announced, sameToken, type TokenRecord } from './record.ts'
import { renew } from './renewal.ts'
import type { PendingToken, UsableToken } from './state.ts'
import { createAccessSteps, verificationExpired } from './steps.ts'
import { createAccessStore } from './store.ts'
import type { AccessToken, AccessTokens, RejectionOutcome } from './types.ts'
import { watchAccess } from './watch.ts'

/** How long disposal waits beside the call for a token to be saved. */
const SAVE_LIMIT_MS = 40_000
/** Each round follows a change in the store; so many in one call mean that it does not keep what it is given. */
const MAX_ROUNDS = 100
/** How long somebody who does not have to wait waits for the service. */
const LOOK_MS = 5000
/** After a renewal in passing, whatever became of it: the next one not before. */
const QUIET_MS = 30_000

function tokenPending(pending: PendingToken): TokensError<'TOKEN_PENDING'> {
  return new TokensError('TOKEN_PENDING', 'the token awaits its second factor in the broker’s app', {
    details: { deadlineMs: deadlineOf(pending.createdAtMs) },
    retryable: true,
  })
}

/** Either answer may be the wrong one, or this host's clock: nothing is decided by it, and the token is kept. */
function normalPastExpiry(): TokensError<'TOKEN_ANSWER_INVALID'> {
  return answerInvalid('expires_at', 'a time in the future of a NORMAL token', 'a time that is over here')
}

/**
 * Access tokens of one app key.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 */
export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const settings = readAccessOptions(options)
  const { api, clock, sandbox, tokenMode, renewBeforeMs, keepAliveMs } = settings
  const store = createAccessStore(settings.store, settings.storeKey, clock, settings.storeLookMs)
  const steps = createAccessSteps(settings, store)
  const flights = createFlights()
  const notices = createExpiryNotices(sandbox ? [] : settings.expiringMs)
  const closing = ownAbort()
  let triedAtMs = Number.NEGATIVE_INFINITY
  let wanted = tokenMode === 'ask' ? undefined : tokenMode === 'required'

  const context = (): DecisionContext => ({ nowMs: clock.now(), sandbox, renewBeforeMs })
  const closedError = (operation: string): TokensError =>
    new TokensError('TOKEN_CLOSED', `${operation}: these access tokens were disposed`, {
      details: { operation },
    })
  const requireOpen = (operation: string): void => {
    if (closing.signal.aborted) throw closedError(operation)
  }

  const isWanted = async (signal: AbortSignalLike | undefined): Promise<boolean> => {
    if (wanted !== undefined) return wanted
    const ask = async (stop: AbortSignalLike): Promise<boolean> => {
      const result = await callApi(
        clock,
        settings.callTimeoutMs,
        async (callOptions) =>
          api.config?.(callOptions) ?? { ok: true as const, value: { tokenCheckEnabled: true } },
        stop,
      )
      if (!result.ok) throw callFailed('config', result.failure)
      return result.value.tokenCheckEnabled
    }
    wanted = await flights.run('config', ask, signal)
    return wanted
  }

  const wantsCreate = (record: TokenRecord): boolean => decideGet(record, context()).do === 'create'
  const aboutToEnd = (record: TokenRecord): boolean => {
    const decision = decideGet(record, context())
    return decision.do === 'use' && decision.renewNow
  }
  const verify = (token: UsableToken, signal: AbortSignalLike | undefined) =>
    flights.run(`verify ${token.token.reveal()}`, (stop) => steps.verify(token, stop), signal)

  const inquiry = createInquiry(clock, settings.pollIntervalMs, verify)

  const keepAlive = createKeepAlive(clock, keepAliveMs, async () => {
    const { current } = await store.load()
    if (current !== undefined) await verify(current, undefined)
  })

  /** Tells a person that the end comes near: once for each threshold, whichever process is first. */
  const announce = async (record: TokenRecord): Promise<void> => {
    const expiring = notices.due(record, clock.now())
    if (expiring === undefined) return
    const { token } = record.current ?? {}
    const isFirst = await store
      .change((now) =>
        sameToken(now.current?.token, token) ? announced(now, expiring.thresholdMs) : undefined,
      )
      // Told twice is better than not told.
      .catch(() => true)
    if (isFirst) steps.notice(expiring)
  }

  /** Tries once more to save a token that could not be saved. */
  const save = (signal: AbortSignalLike | undefined) =>
    flights.run('create', (stop) => steps.create(() => false, stop), signal)

  const used = async (record: TokenRecord, token: UsableToken): Promise<AccessToken> => {
    keepAlive.used()
    await announce(record)
    if (record.pending !== undefined && !flights.has('follow') && !flights.has('look'))
      // In passing: a renewal that waits for its second factor is noticed without anybody waiting for it.
      flights.run('look', (stop) => steps.look(stop)).catch(() => {})
    if (steps.hasUnsaved() && !flights.has('create')) save(undefined).catch(() => {})
    return { token: token.token, expiresAtMs: token.expiresAtMs }
  }

  const obtain = async (
    wait: boolean,
    signal: AbortSignalLike | undefined,
    operation: 'get' | 'renew' | 'reportRejected',
  ): Promise<AccessToken> => {
    let followed: PendingToken | undefined
    let triedRenewal = false
    let triedSave = false
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      requireOpen(operation)
      throwIfAborted(signal)
      const record = await store.load()
      const decision = decideGet(record, context())
      switch (decision.do) {
        case 'use':
          if (decision.renewNow && !triedRenewal && !isQuiet()) {
            triedRenewal = true
            await renewInPassing(signal)
            break
          }
          return await used(record, decision.token)
        case 'create':
          // A rejected request is no wish of a person: it never starts a second factor.
          if (operation === 'reportRejected' && !sandbox) throw needsSecondFactor('INVALID')
          await flights.run('create', (stop) => steps.create(wantsCreate, stop), signal)
          break
        case 'follow': {
          const { pending } = decision
          followed = pending
          if (wait) {
            await flights.run('follow', (stop) => steps.follow(pending.token, stop), signal)
            break
          }
          if (!flights.has('follow')) await lookOnce(signal)
          if (sameToken((await store.load()).pending?.token, pending.token)) throw tokenPending(pending)
          break
        }
        case 'verify': {
          if (inquiry.isKnownOver(decision.token)) throw normalPastExpiry()
          const normal = await inquiry.ask(decision.token, {
            wait,
            limitMs: wait ? undefined : LOOK_MS,
            signal,
          })
          if (normal !== undefined && isOver(normal, clock.now())) throw normalPastExpiry()
          break
        }
        case 'fail':
          if (steps.hasUnsaved() && !triedSave) {
            triedSave = true
            await (wait ? save(signal) : forAWhile(clock, LOOK_MS, signal, save))
            break
          }
          if (
            followed !== undefined &&
            isTokensError(decision.error, 'TOKEN_NEEDS_SECOND_FACTOR') &&
            decision.error.details.lastStatus === 'EXPIRED'
          )
            throw verificationExpired(followed.createdAtMs)
          throw decision.error
      }
    }
    throw storeFailed('compareAndSet', new Error('the record never came to rest'))
  }

  /** A look whose failure, or whose taking too long, says no more than that nothing is decided yet. */
  const lookOnce = async (signal: AbortSignalLike | undefined): Promise<void> => {
    const look = (own: AbortSignalLike) => flights.run('look', (stop) => steps.look(stop), own)
    await forAWhile(clock, LOOK_MS, signal, look).catch((error: unknown) => {
      if (signal?.aborted || !isTokensError(error, 'TOKEN_CALL_FAILED')) throw error
    })
  }

  /** The old token is still good: a renewal that fails, or takes long, is tried again at a later call. */
  const renewInPassing = async (signal: AbortSignalLike | undefined): Promise<void> => {
    triedAtMs = clock.now()
    const create = (own: AbortSignalLike) =>
      flights.run('create', (stop) => steps.create(aboutToEnd, stop), own)
    await forAWhile(clock, LOOK_MS, signal, create).catch((error: unknown) => {
      if (signal?.aborted) throw error
    })
  }
  const isQuiet = (): boolean => Math.abs(clock.now() - triedAtMs) < QUIET_MS

  const obtainRenewed = async (wait: boolean, signal: AbortSignalLike | undefined): Promise<AccessToken> => {
    const { pending } = await store.load()
    if (pending !== undefined) {
      if (!wait) throw tokenPending(pending)
      await flights.run('follow', (stop) => steps.follow(pending.token, stop), signal)
    }
    return obtain(wait, signal, 'renew')
  }

  const afterRejection = async (
    text: string,
    signal: AbortSignalLike | undefined,
  ): Promise<RejectionOutcome> => {
    const { current } = await store.load()
    if (sameToken(current?.token, new Secret(text)) && current !== undefined) {
      if (inquiry.isKnownNormal(current) || (await inquiry.ask(current, { wait: false, signal })))
        return { changed: false }
    }
    const next = await obtain(false, signal, 'reportRejected')
    return next.token.reveal() === text ? { changed: false } : { changed: true, token: next }
  }

  return {
    async get(options = {}) {
      requireOpen('get')
      const { wait, signal } = readGetOptions(options)
      return (await isWanted(signal)) ? abortable(obtain(wait, signal, 'get'), signal) : undefined
    },

    async peek() {
      requireOpen('peek')
      if (wanted === false) return undefined
      const { current } = await store.load()
      if (current === undefined || isOver(current, clock.now())) return undefined
      return { token: current.token, expiresAtMs: current.expiresAtMs }
    },

    async renew(options = {}) {
      requireOpen('renew')
      const { wait, signal } = readGetOptions(options)
      if (!(await isWanted(signal))) return undefined
      await flights.run('renew', (stop) => renew(settings, store, steps, stop), signal)
      return abortable(obtainRenewed(wait, signal), signal)
    },

    async reportRejected(token, rejection, options = {}): Promise<RejectionOutcome> {
      requireOpen('reportRejected')
      requireObject(optionInvalid, 'options', options)
      const signal = readSignal(optionInvalid, options.signal)
      const text = revealSecret(token)
      if (text === undefined) throw optionInvalid('token', 'a Secret', describe(token))
      requireObject(optionInvalid, 'rejection', rejection)
      const { status, code } = rejection
      if (status !== 401 || code === undefined || !settings.rejectionCodes.includes(code))
        return { changed: false }
      if (!(await isWanted(signal))) return { changed: false }
      return abortable(afterRejection(text, signal), signal)
    },

    watch(options = {}) {
      requireOpen('watch')
      requireObject(optionInvalid, 'options', options)
      const signal = readSignal(optionInvalid, options.signal)
      return watchAccess({ settings, store, announce, closing: closing.signal, signal })
    },

    ...closable(async () => {
      closing.abort()
      keepAlive.stop()
      await flights.stop(closedError('wait'), clock, settings.callTimeoutMs + SAVE_LIMIT_MS)
    }),
  }
}

/**
 * Access tokens: one token for all callers and all processes that share the store.
 *
 * While no caller waits, no timer polls or renews a token, except with the option `keepAliveMs`. Each `get()`
 * reads the store, so a token that another process has replaced is not used again.
 */
import { type AbortSignalLike, Secret } from '@brokerwire/core'
import {
  abortable,
  closable,
  createAbortController,
  isRecord,
  ownOptions,
  readOptions,
  revealSecret,
  sleep,
  typeName,
} from '@brokerwire/core/internal'
import { readSignalOption } from '../shared-options.ts'
import { createSingleFlight } from '../single-flight.ts'
import { callEndpoint, callFailed } from '../token-call.ts'
import { isTokensError, optionInvalid, TokensError } from '../tokens-error.ts'
import type { AccessToken, TokenCallOptions } from '../types.ts'
import { createTokenAcquirer } from './acquire.ts'
import { changeKey, dueExpiryWarning, watchAccess } from './lifecycle.ts'
import { accessTokenTransition } from './machine.ts'
import { type AccessTokensOptions, GET_OPTIONS, readAccessOptions } from './options.ts'
import type { StoredAccessToken } from './record.ts'
import { createAccessStore } from './store.ts'
import type { AccessTokenGetOptions, AccessTokens, RejectionOutcome } from './types.ts'

/** How long `close()` waits for a token to be saved, in addition to `callTimeoutMs`. */
const SAVE_LIMIT_MS = 40_000

/**
 * Creates the access tokens of one app key.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
 * import { createAccessTokens, type AccessTokenEndpoints } from '@brokerwire/tokens'
 * import type { Store } from '@brokerwire/core'
 *
 * declare const endpoints: AccessTokenEndpoints
 * declare const store: Store
 * declare const appKey: string
 *
 * const endpoint = resolveEndpoint({ environment: 'production', region: 'us' })
 * const identity = createServiceIdentity(endpoint, appKey)
 * const tokens = createAccessTokens({
 *   endpoints,
 *   store,
 *   identity,
 *   onSecondFactor: ({ remainingMs }) => console.log(`enter the code within ${remainingMs / 60_000} minutes`),
 * })
 * const token = await tokens.get()
 * console.log(token?.expiresAtMs)
 * await tokens.close()
 * ```
 */
export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const settings = readAccessOptions(options)
  const { endpoints, clock, keepAliveMs, tokenMode } = settings
  const store = createAccessStore(settings)
  const context = { ...settings, store }
  const work = createSingleFlight()
  const closing = createAbortController()
  let isTokenRequired = tokenMode === 'auto' ? undefined : tokenMode === 'required'

  const closedError = (operation: string): TokensError =>
    new TokensError(
      'TOKEN_CLOSED',
      `${operation}() was aborted by close() or called after it. Create the access tokens again`,
      {
        details: { operation },
      },
    )
  const requireOpen = (operation: string): void => {
    if (closing.signal.aborted) throw closedError(operation)
  }

  /**
   * If `close()` aborted the work of a call, throws an error with the name of that call. The work has only
   * one error, and several calls may share the work.
   */
  const nameOperation = async <T>(operation: string, promise: Promise<T>): Promise<T> => {
    try {
      return await promise
    } catch (error) {
      throw isTokensError(error, 'TOKEN_CLOSED') ? closedError(operation) : error
    }
  }

  /** Key of the last expiry warning of this process. */
  let lastWarning = ''
  /** Calls `onExpiring` once for each threshold, in the first process that reaches the threshold. */
  const announce = async (record: StoredAccessToken): Promise<void> => {
    const expiring = dueExpiryWarning(record, clock.now(), settings.expiryWarningsMs)
    if (expiring === undefined || record.current === undefined) return
    const { thresholdMs } = expiring
    if ((record.announcedMs ?? Number.POSITIVE_INFINITY) <= thresholdMs) return
    const event = { type: 'announced', token: record.current.token, thresholdMs } as const
    const warning = changeKey(expiring, record)
    // If the store cannot record the warning, two processes may warn. That is better than no warning.
    const before = await store.apply(event).catch(() => record)
    if (before === undefined || warning === lastWarning) return
    lastWarning = warning
    settings.onExpiring(expiring)
  }
  const { acquireToken, renewToken, afterRejection, verify } = createTokenAcquirer(
    context,
    work,
    (record) => {
      keepAlive()
      return announce(record)
    },
  )

  let lastUseMs = 0
  let isKeptAlive = false
  /**
   * Records a use of the token. With `keepAliveMs`, the first use starts a loop that checks the token when it
   * was not used for that time.
   */
  const keepAlive = (): void => {
    lastUseMs = clock.now()
    if (isKeptAlive || keepAliveMs === undefined) return
    isKeptAlive = true
    const checkUnused = async (): Promise<void> => {
      for (;;) {
        await sleep(clock, Math.max(1, lastUseMs + keepAliveMs - clock.now()), closing.signal)
        if (clock.now() - lastUseMs < keepAliveMs) continue
        lastUseMs = clock.now()
        const { current } = await store.load().catch(() => ({ current: undefined }))
        // An error of this check is ignored. If the token is unusable, its next use fails with an error.
        if (current !== undefined) await verify(current, undefined).catch(() => {})
      }
    }
    // The loop ends only when the tokens are closed. Its rejection is then ignored.
    checkUnused().catch(() => {})
  }

  /** Whether the service requires a token. With `tokenMode: 'auto'` the service is asked once. */
  const isRequired = async (signal: AbortSignalLike | undefined): Promise<boolean> => {
    const assumedConfig = { ok: true as const, value: { tokenCheckEnabled: true } }
    const fetchConfig = async (stop: AbortSignalLike): Promise<boolean> => {
      const send = async (callOptions: TokenCallOptions) =>
        (await endpoints.config?.(callOptions)) ?? assumedConfig
      const result = await callEndpoint(settings, 'config', send, { signal: stop })
      if (!result.ok) throw callFailed('config', result.failure)
      return result.value.tokenCheckEnabled
    }
    isTokenRequired ??= await work.run('config', fetchConfig, signal)
    return isTokenRequired
  }

  /**
   * Creates `get` or `renew`: a function that checks its options, and calls `getToken` if the service
   * requires a token.
   */
  const createGetter =
    (
      operation: string,
      getToken: (wait: boolean, signal: AbortSignalLike | undefined) => Promise<AccessToken>,
    ) =>
    async (options: AccessTokenGetOptions = {}): Promise<AccessToken | undefined> => {
      requireOpen(operation)
      const { wait, signal } = readOptions(optionInvalid, options, GET_OPTIONS)
      const acquire = async () =>
        (await isRequired(signal)) ? abortable(getToken(wait, signal), signal) : undefined
      return nameOperation(operation, acquire())
    }

  return {
    origin: settings.identity.baseUrl,
    get: createGetter('get', acquireToken),
    renew: createGetter('renew', renewToken),

    async peek() {
      requireOpen('peek')
      if (isTokenRequired === false) return undefined
      const { current } = accessTokenTransition(await store.load(), { type: 'time', nowMs: clock.now() })
      return current && { token: current.token, expiresAtMs: current.expiresAtMs }
    },

    async reportRejected(token, rejection, options = {}): Promise<RejectionOutcome> {
      requireOpen('reportRejected')
      const signal = readSignalOption(options)
      const revealed = revealSecret(token)
      if (revealed === undefined) throw optionInvalid('token', 'a Secret', typeName(token))
      if (!isRecord(rejection)) throw optionInvalid('rejection', 'an object', typeName(rejection))
      const { status, code } = ownOptions(rejection)
      if (status !== 401 || code === undefined || !settings.rejectionCodes.includes(code))
        return { changed: false }
      const checkAndReplace = async (): Promise<RejectionOutcome> =>
        (await isRequired(signal))
          ? abortable(afterRejection(new Secret(revealed), signal), signal)
          : { changed: false }
      return nameOperation('reportRejected', checkAndReplace())
    },

    watch(options = {}) {
      requireOpen('watch')
      const signal = readSignalOption(options)
      return watchAccess(context, announce, closing.signal, signal)
    },

    ...closable(async () => {
      closing.abort()
      await work.stop(closedError('get'), clock, settings.callTimeoutMs + SAVE_LIMIT_MS)
    }),
  }
}

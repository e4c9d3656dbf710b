/** The access token of a key: read from the store for each attempt, and asked for once where that is wanted. */
import {
  type Clock,
  isBrokerwireError,
  type ProxyOption,
  printable,
  type Secret,
  type Store,
} from '@brokerwire/core'
import { notify } from '@brokerwire/core/internal'
import { createNodeFetch } from '@brokerwire/core/proxy'
import { createBrokerage } from '@brokerwire/edge'
import type { AccessTokenHook } from '@brokerwire/streams'
import {
  accessTokenStoreKey,
  createTokenRateLimiter,
  isTokensError,
  nextCreateAtMs,
  readAccessTokenRecord,
} from '@brokerwire/tokens'
import { overridesOf } from '../config/origins.ts'
import type { RelayKeyConfig } from '../config/read-config.ts'
import { RelayError } from '../relay-error.ts'

/** What is known of a key's access token. */
export type TokenState =
  | 'usable'
  /** The store has none, and this relay does not ask for one. */
  | 'missing'
  /** One was asked for: somebody has to confirm it in the broker's app. */
  | 'awaits-confirmation'
  /** The last one ended: somebody has to ask for a new one. */
  | 'needs-person'
  /** The service or the store did not answer as it should; it is tried again. */
  | 'failed'

/** Told when something else is known of a key's access token. What it throws is dropped. */
export interface TokenObserver {
  onToken?(report: {
    readonly key: string
    readonly state: TokenState
    /** Until when somebody may confirm it, milliseconds since the Unix epoch. */
    readonly deadlineMs?: number | undefined
    /** What a person does now; `undefined`: nothing. */
    readonly todo?: string | undefined
    /** When the next create may be sent, milliseconds since the Unix epoch; `undefined`: now. */
    readonly nextCreateAtMs?: number | undefined
    readonly error?: unknown
  }): void
}

/** What it is opened with. */
export interface KeyTokenOptions {
  readonly key: RelayKeyConfig
  readonly appKey: Secret
  readonly appSecret: Secret
  readonly store: Store
  readonly clock: Clock
  readonly observer: TokenObserver | undefined
  readonly proxy: ProxyOption | undefined
}

/** A key's access token. */
export interface KeyToken {
  /** @throws RelayError `RELAY_TOKEN_MISSING`, retryable: the streams ask again. */
  readonly read: AccessTokenHook
  close(): Promise<void>
}

const CREATE = 'brokerwire token create --wait'
const RENEW = 'brokerwire token renew --wait'

/** @returns `undefined` where subscriptions carry none. */
export function openKeyToken(options: KeyTokenOptions): KeyToken | undefined {
  const { key, appKey, appSecret, store, clock, observer, proxy } = options
  if (!key.sendAccessToken) return undefined
  let said: string | undefined
  const say = (
    state: TokenState,
    more: { readonly deadlineMs?: number | undefined; readonly todo?: string; readonly error?: unknown } = {},
    nextMs?: number | undefined,
  ): void => {
    const now = `${state} ${more.deadlineMs ?? ''} ${nextMs ?? ''}`
    if (said === now) return
    said = now
    notify(() => observer?.onToken?.({ key: key.name, state, nextCreateAtMs: nextMs, ...more }))
  }
  const { region, environment, allowInsecure } = key
  const { accessTokens, identity, close } = createBrokerage({
    region,
    environment,
    appKey: appKey.reveal(),
    appSecret,
    allowInsecure,
    overrides: overridesOf(key),
    http: { fetch: proxy === undefined ? undefined : createNodeFetch({ proxy }) },
    store,
    clock,
    rateLimiter: createTokenRateLimiter,
    tokens: {
      notify(notice) {
        if (notice.type !== 'pending') return
        const { deadlineMs } = notice
        say('awaits-confirmation', { deadlineMs, todo: "confirm it in the broker's app" }, deadlineMs)
      },
    },
  })
  const missing = (why: Exclude<TokenState, 'usable'>, command?: string, cause?: unknown): RelayError => {
    const reason = isBrokerwireError(cause) ? `: ${printable(cause.message, 300)}` : ''
    const help = command === undefined ? '' : `; ${command}, over the store of the relay`
    const text = `the key ${key.name} has no usable access token (${why})${reason}${help}`
    return new RelayError('RELAY_TOKEN_MISSING', text, {
      details: { key: key.name, why, command },
      retryable: true,
      cause,
    })
  }
  /** When the budget of creates allows the next one, as far as the store says. */
  const nextCreate = async (): Promise<number | undefined> => {
    try {
      const text = await store.get(accessTokenStoreKey(identity))
      return nextCreateAtMs(readAccessTokenRecord(text), clock.now())
    } catch {
      return undefined
    }
  }
  const failure = async (error: unknown): Promise<RelayError> => {
    if (isTokensError(error, 'TOKEN_PENDING') || isTokensError(error, 'TOKEN_POLL_TIMEOUT'))
      return missing('awaits-confirmation', undefined, error)
    const needsPerson =
      isTokensError(error, 'TOKEN_NEEDS_SECOND_FACTOR') || isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')
    const nextMs = await nextCreate()
    if (needsPerson) say('needs-person', { todo: RENEW, error }, nextMs)
    else say('failed', { error }, nextMs)
    return needsPerson ? missing('needs-person', RENEW, error) : missing('failed', undefined, error)
  }
  const usable = async (
    ask: () => Promise<{ readonly token: Secret } | undefined>,
  ): Promise<Secret | undefined> => {
    const found = await ask().catch(async (error: unknown) => {
      throw await failure(error)
    })
    if (found !== undefined) say('usable')
    return found?.token
  }
  return {
    async read({ signal }) {
      // `get` creates where the store never had a token, once for all who share the store, and follows what it asked for.
      if (key.createToken) return usable(() => accessTokens.get({ signal }))
      const token = await usable(() => accessTokens.peek())
      if (token !== undefined) return token
      say('missing', { todo: CREATE })
      throw missing('missing', CREATE)
    },
    close,
  }
}

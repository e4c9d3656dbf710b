/**
 * The access tokens of a relay's keys, read from the store for each attempt, and created if the configuration allows it.
 *
 * They live as long as the relay: keys with the same app key and all restarts of a key share one limit for create requests.
 */
import {
  type Clock,
  isBrokerwireError,
  type ProxyOption,
  printable,
  type Secret,
  type Store,
  type TokenProvider,
} from '@brokerwire/core'
import { notify } from '@brokerwire/core/internal'
import { createNodeFetch } from '@brokerwire/core/proxy'
import { createBrokerage, rateLimiter } from '@brokerwire/edge'
import {
  accessTokenStoreKey,
  isTokensError,
  nextCreateAtMs,
  parseStoredAccessToken,
} from '@brokerwire/tokens'
import { endpointOverrides } from '../config/origins.ts'
import type { RelayKeyConfig } from '../config/read-config.ts'
import { RelayError } from '../relay-error.ts'

/** The state of a key's access token. */
export type TokenState =
  /** The store has a token that can be used. */
  | 'usable'
  /** The store has no token, and the configuration does not allow to create one. */
  | 'missing'
  /** A token was created. A person must confirm it in the broker's app. */
  | 'awaits-confirmation'
  /** The last token has ended. A person must create a new one. */
  | 'needs-person'
  /** The service or the store failed. The request is retried. */
  | 'failed'

/** Callbacks for access tokens. Their errors are ignored. */
export interface TokenObserver {
  /** The state of a key's access token has changed. */
  onToken?(report: {
    readonly key: string
    readonly state: TokenState
    /** The deadline for the confirmation, milliseconds since the Unix epoch. */
    readonly deadlineMs?: number | undefined
    /** What a person must do now; `undefined`: nothing. */
    readonly todo?: string | undefined
    /** When the next create may be sent, milliseconds since the Unix epoch; `undefined`: now. */
    readonly nextCreateAtMs?: number | undefined
    readonly error?: unknown
  }): void
}

/** Options of the tokens of all keys. */
export interface KeyTokensOptions {
  readonly store: Store
  readonly clock: Clock
  readonly observer: TokenObserver | undefined
  readonly proxy: ProxyOption | undefined
}

/** The access tokens of all keys. */
export interface KeyTokens {
  /**
   * Returns the token provider of a key; `undefined` if its subscriptions send no token. The provider rejects with RelayError
   * `RELAY_TOKEN_MISSING`, which is retryable: the streams retry.
   */
  of(key: RelayKeyConfig, credentials: KeyCredentials): TokenProvider | undefined
  close(): Promise<void>
}

interface KeyCredentials {
  readonly appKey: Secret
  readonly appSecret: Secret
}

/** The token of one app key, and the reports of its keys for a second factor. */
interface AppToken {
  readonly brokerage: ReturnType<typeof createBrokerage>
  readonly keys: Set<KeyReport>
}

/** Reports the state of a key's token, if it has changed. */
type KeyReport = (
  state: TokenState,
  more?: { readonly deadlineMs?: number | undefined; readonly todo?: string; readonly error?: unknown },
  nextCreateAtMs?: number | undefined,
) => void

const CREATE = 'brokerwire token create --wait'
const RENEW = 'brokerwire token renew --wait'

export function createKeyTokens(options: KeyTokensOptions): KeyTokens {
  const apps = new Map<string, AppToken>()
  const tokens = new Map<string, TokenProvider>()
  const getAppToken = (key: RelayKeyConfig, credentials: KeyCredentials): AppToken => {
    const { region, environment, allowInsecure } = key
    const { appKey, appSecret } = credentials
    const overrides = endpointOverrides(key)
    const secrets = [appKey.reveal(), appSecret.reveal()]
    const id = JSON.stringify([region, environment, allowInsecure, overrides, secrets])
    const known = apps.get(id)
    if (known !== undefined) return known
    const keys: AppToken['keys'] = new Set()
    const { store, clock, proxy } = options
    const brokerage = createBrokerage({
      region,
      environment,
      appKey: appKey.reveal(),
      appSecret,
      allowInsecure,
      overrides,
      http: { fetch: proxy === undefined ? undefined : createNodeFetch({ proxy }) },
      store,
      clock,
      plugins: [rateLimiter()],
      tokens: {
        onSecondFactor({ deadlineMs }) {
          for (const report of keys)
            report('awaits-confirmation', { deadlineMs, todo: "confirm it in the broker's app" }, deadlineMs)
        },
      },
    })
    const app = { brokerage, keys }
    apps.set(id, app)
    return app
  }
  return {
    of(key, credentials) {
      if (!key.sendAccessToken) return undefined
      const token = tokens.get(key.name) ?? createKeyToken(key, getAppToken(key, credentials), options)
      tokens.set(key.name, token)
      return token
    },
    async close() {
      await Promise.all([...apps.values()].map(({ brokerage }) => brokerage.close()))
    },
  }
}

function createKeyToken(
  key: RelayKeyConfig,
  { brokerage, keys }: AppToken,
  { store, clock, observer }: KeyTokensOptions,
): TokenProvider {
  const { accessTokens, identity } = brokerage
  let reported: string | undefined
  const report: KeyReport = (state, more = {}, nextCreateAtMs) => {
    const now = `${state} ${more.deadlineMs ?? ''} ${nextCreateAtMs ?? ''}`
    if (reported === now) return
    reported = now
    notify(() => observer?.onToken?.({ key: key.name, state, nextCreateAtMs, ...more }))
  }
  keys.add(report)
  const missing = (why: Exclude<TokenState, 'usable'>, command?: string, cause?: unknown): RelayError => {
    const reason = isBrokerwireError(cause) ? `: ${printable(cause.message, 300)}` : ''
    const help = command === undefined ? '' : `. Run "${command}" with the store of the relay.`
    const text = `key ${key.name} must have a usable access token; received none (${why})${reason}${help}`
    return new RelayError('RELAY_TOKEN_MISSING', text, {
      details: { key: key.name, why, command },
      retryable: true,
      cause,
    })
  }
  /** When the next create may be sent. */
  const nextCreate = async (error: unknown): Promise<number | undefined> => {
    if (isTokensError(error, 'TOKEN_CREATE_TOO_SOON')) return clock.now() + error.details.retryAfterMs
    try {
      const text = await store.get(accessTokenStoreKey(identity))
      return nextCreateAtMs(parseStoredAccessToken(text), clock.now())
    } catch {
      return undefined
    }
  }
  const failure = async (error: unknown): Promise<RelayError> => {
    if (isTokensError(error, 'TOKEN_PENDING') || isTokensError(error, 'TOKEN_POLL_TIMEOUT'))
      return missing('awaits-confirmation', undefined, error)
    const needsPerson =
      isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') ||
      isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')
    const nextMs = await nextCreate(error)
    if (needsPerson) report('needs-person', { todo: RENEW, error }, nextMs)
    else report('failed', { error }, nextMs)
    return needsPerson ? missing('needs-person', RENEW, error) : missing('failed', undefined, error)
  }
  const readToken = async (
    getToken: () => Promise<{ readonly token: Secret } | undefined>,
  ): Promise<{ readonly token: Secret } | undefined> => {
    const found = await getToken().catch(async (error: unknown) => {
      throw await failure(error)
    })
    if (found !== undefined) report('usable')
    return found
  }
  return {
    origin: identity.baseUrl,
    async get({ signal }) {
      // `get` creates a token if the store never had one, once for all relays of the store, and waits for its confirmation.
      if (key.createToken) return readToken(() => accessTokens.get({ signal }))
      const token = await readToken(() => accessTokens.peek())
      if (token !== undefined) return token
      report('missing', { todo: CREATE })
      throw missing('missing', CREATE)
    },
    // A rejected subscription shows nothing about the token: only a response over HTTP ends it.
    reportRejected: async () => ({ changed: false }),
  }
}

/**
 * The access tokens of a relay's apps, read from the store for each attempt, and created if the configuration
 * allows it.
 *
 * They exist as long as the relay, so that apps with the same app key, and all restarts of an app, share one
 * limit for create requests.
 */
import {
  type AbortSignalLike,
  type Clock,
  escapeControlChars,
  isBrokerwireError,
  type ProxyOption,
  type Secret,
  type Store,
  type TokenProvider,
} from '@brokerwire/core'
import { createNodeFetch } from '@brokerwire/core/proxy'
import { createBrokerage, type EdgeObserver, rateLimiter } from '@brokerwire/edge'
import {
  accessTokenStoreKey,
  isTokensError,
  nextCreateAtMs,
  parseStoredAccessToken,
  type StoredAccessToken,
} from '@brokerwire/tokens'
import { verificationDeadline } from '@brokerwire/tokens/internal'
import { endpointOverrides } from '../config/origins.ts'
import type { RelayAppConfig } from '../config/parse-config.ts'
import { createAppReporter, type RelayObserver, type RelayTokenState } from '../observer.ts'
import { RelayError } from '../relay-error.ts'

/** Options of the tokens of all apps. */
export interface AppTokensOptions {
  readonly store: Store
  readonly clock: Clock
  readonly observer: RelayObserver & EdgeObserver
  readonly proxy: ProxyOption | undefined
}

/** The access tokens of all apps. */
export interface AppTokens {
  /**
   * Returns the token provider of an app; `undefined` if its subscriptions send no token. The provider
   * rejects with RelayError `RELAY_TOKEN_MISSING`, which is retryable, so the streams retry.
   */
  of(app: RelayAppConfig, credentials: AppCredentials): TokenProvider | undefined
  close(): Promise<void>
}

interface AppCredentials {
  readonly appKey: Secret
  readonly appSecret: Secret
}

/** The token of one app key, and the reports of the apps that share it. */
interface SharedToken {
  readonly brokerage: ReturnType<typeof createBrokerage>
  readonly reports: Set<TokenReport>
}

/** Reports the state of an app's token, if it has changed. */
type TokenReport = (
  state: RelayTokenState,
  more?: { readonly deadlineMs?: number | undefined; readonly action?: string; readonly error?: unknown },
  nextCreateAtMs?: number | undefined,
) => void

const CREATE = 'brokerwire token create --wait'
const RENEW = 'brokerwire token renew --wait'
const CONFIRM = "confirm it in the broker's app"

export function createAppTokens(options: AppTokensOptions): AppTokens {
  const shared = new Map<string, SharedToken>()
  const tokens = new Map<string, TokenProvider>()
  const getSharedToken = (app: RelayAppConfig, credentials: AppCredentials): SharedToken => {
    const { region, environment, allowInsecure } = app
    const { appKey, appSecret } = credentials
    const overrides = endpointOverrides(app)
    const secrets = [appKey.reveal(), appSecret.reveal()]
    const id = JSON.stringify([region, environment, allowInsecure, overrides, secrets])
    const known = shared.get(id)
    if (known !== undefined) return known
    const reports: SharedToken['reports'] = new Set()
    const { store, clock, proxy, observer } = options
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
      // Apps with the same app key share one token, so it has the name of the first one.
      clientId: app.name,
      observer,
      plugins: [rateLimiter()],
      tokens: {
        onSecondFactor({ deadlineMs }) {
          for (const report of reports)
            report('awaits-confirmation', { deadlineMs, action: CONFIRM }, deadlineMs)
        },
      },
    })
    const created = { brokerage, reports }
    shared.set(id, created)
    return created
  }
  return {
    of(app, credentials) {
      if (!app.sendAccessToken) return undefined
      const token = tokens.get(app.name) ?? createAppToken(app, getSharedToken(app, credentials), options)
      tokens.set(app.name, token)
      return token
    },
    async close() {
      await Promise.all([...shared.values()].map(({ brokerage }) => brokerage.close()))
    },
  }
}

function createAppToken(
  app: RelayAppConfig,
  { brokerage, reports }: SharedToken,
  { store, clock, observer }: AppTokensOptions,
): TokenProvider {
  const { accessTokens, identity } = brokerage
  const send = createAppReporter(observer, app.name)
  let reported: string | undefined
  const report: TokenReport = (state, more = {}, nextCreateAtMs) => {
    const now = `${state} ${more.deadlineMs ?? ''} ${nextCreateAtMs ?? ''}`
    if (reported === now) return
    reported = now
    send('onRelayToken', { state, nextCreateAtMs, ...more })
  }
  reports.add(report)
  const missing = (
    why: Exclude<RelayTokenState, 'usable'>,
    command?: string,
    cause?: unknown,
  ): RelayError => {
    const reason = isBrokerwireError(cause) ? `: ${escapeControlChars(cause.message, 300)}` : ''
    const help = command === undefined ? '' : `. Run "${command}" with the store of the relay.`
    const text = `app ${app.name} must have a usable access token; received none (${why})${reason}${help}`
    return new RelayError('RELAY_TOKEN_MISSING', text, {
      details: { app: app.name, why, command },
      retryable: true,
      cause,
    })
  }
  /** Reads the record of the token in the store; `undefined` if it cannot be read. */
  const readRecord = async (): Promise<StoredAccessToken | undefined> => {
    try {
      return parseStoredAccessToken(await store.get(accessTokenStoreKey(identity)))
    } catch {
      return undefined
    }
  }
  /** Returns when the next create request may be sent. */
  const nextCreate = async (error: unknown): Promise<number | undefined> => {
    if (isTokensError(error, 'TOKEN_CREATE_TOO_SOON')) return clock.now() + error.details.retryAfterMs
    const record = await readRecord()
    return record && nextCreateAtMs(record, clock.now())
  }
  /** Returns the deadline of the confirmation, if the token waits for one. */
  const confirmationDeadline = async (error: unknown, isAborted: boolean): Promise<number | undefined> => {
    if (isTokensError(error, 'TOKEN_PENDING') || isTokensError(error, 'TOKEN_POLL_TIMEOUT'))
      return error.details.deadlineMs
    const createdAtMs = isAborted ? (await readRecord())?.pending?.createdAtMs : undefined
    if (createdAtMs === undefined) return undefined
    const deadlineMs = verificationDeadline(createdAtMs)
    return clock.now() < deadlineMs ? deadlineMs : undefined
  }
  const failure = async (error: unknown, signal: AbortSignalLike | undefined): Promise<unknown> => {
    const isAborted = signal?.aborted === true
    const deadlineMs = await confirmationDeadline(error, isAborted)
    if (deadlineMs !== undefined) {
      report('awaits-confirmation', { deadlineMs, action: CONFIRM }, deadlineMs)
      return missing('awaits-confirmation', undefined, error)
    }
    // The subscription was closed, or its attempt took too long, but the token did not fail.
    if (isAborted) return error
    const needsPerson =
      isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') ||
      isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')
    const nextMs = await nextCreate(error)
    if (needsPerson) report('needs-person', { action: RENEW, error }, nextMs)
    else report('failed', { error }, nextMs)
    return needsPerson ? missing('needs-person', RENEW, error) : missing('failed', undefined, error)
  }
  const readToken = async (
    getToken: () => Promise<{ readonly token: Secret } | undefined>,
    signal: AbortSignalLike | undefined,
  ): Promise<{ readonly token: Secret } | undefined> => {
    const found = await getToken().catch(async (error: unknown) => {
      throw await failure(error, signal)
    })
    if (found !== undefined) report('usable')
    return found
  }
  return {
    origin: identity.baseUrl,
    async get({ signal }) {
      // `get` creates a token if the store never had one, once for all relays of the store, and waits for its confirmation.
      if (app.createToken) return readToken(() => accessTokens.get({ signal }), signal)
      const token = await readToken(() => accessTokens.peek(), signal)
      if (token !== undefined) return token
      report('missing', { action: CREATE })
      throw missing('missing', CREATE)
    },
    // A rejected subscription does not show that the token has ended. Only a response over HTTP shows that.
    reportRejected: async () => ({ changed: false }),
  }
}

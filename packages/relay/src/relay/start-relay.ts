/** A running relay: it joins its cluster, and relays the apps that are assigned to it. */
import { randomBytes } from 'node:crypto'
import {
  type AbortSignalLike,
  type Clock,
  type Closable,
  type ProxyOption,
  type Secret,
  type Store,
  systemClock,
} from '@brokerwire/core'
import {
  abortable,
  clock,
  closable,
  custom,
  type FieldsOf,
  func,
  isRecord,
  observer,
  optional,
  port,
  proxyOption,
  readOptions,
  type Schema,
  signal,
  throwIfAborted,
  typeName,
  withTimeout,
} from '@brokerwire/core/internal'
import type { EdgeObserver } from '@brokerwire/edge'
import { EDGE_OBSERVER } from '@brokerwire/edge/internal'
import type { StreamsObserver } from '@brokerwire/streams'
import { STREAMS_OBSERVER } from '@brokerwire/streams/internal'
import { AppRelay, type AppRelayOptions } from '../app/app-relay.ts'
import type { AppRun, AppRunEnd, AppStart } from '../cluster/app-runs.ts'
import { Cluster } from '../cluster/cluster.ts'
import type { SecretRef } from '../config/fields.ts'
import type { RelayAppConfig, RelayConfig } from '../config/parse-config.ts'
import { RELAY_OBSERVER, type RelayObserver } from '../observer.ts'
import { optionFailure } from '../relay-error.ts'
import type { EventSink } from '../sink/event-sink.ts'
import type { StreamAddress } from '../wire/subjects.ts'
import { createAppTokens } from './app-token.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import { openStreams } from './open-streams.ts'
import { resolveRelayName } from './relay-name.ts'
import { resolveSecret } from './secrets.ts'

/** Options of {@link startRelay}. They are read once. */
export interface StartRelayOptions {
  /**
   * The result of {@link parseRelayConfig}. The relay does not open the `sink` and the `store` of the
   * configuration. Pass them as options.
   */
  readonly config: RelayConfig
  /** The store of membership, holders of apps and cursors, which all relays of the cluster share. */
  readonly store: Store
  /** Opens a writer of an app's stream. The relay closes it when it releases the app. */
  readonly openSink: (address: StreamAddress) => EventSink
  /**
   * An HTTP proxy for the service's streams and token calls: its address, or a function that returns the
   * address for a target, such as `proxyFromEnvironment(process.env)` of `@brokerwire/core/proxy`. The sink
   * and the store make their own connections.
   * @defaultValue none
   */
  readonly proxy?: ProxyOption | undefined
  /** Reads a secret. @defaultValue {@link resolveSecret} */
  readonly readSecret?: ((field: string, ref: SecretRef) => Promise<Secret>) | undefined
  /** Environment variables for `name` of the configuration. @defaultValue those of the process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Functions that receive reports and change nothing: of the cluster, the apps, their streams, tokens and token calls. The `streamId`
   * of an app's stream is the names of the app and the subscription, such as `team-a/trade`. @defaultValue none
   */
  readonly observer?: (RelayObserver & StreamsObserver & EdgeObserver) | undefined
  /** The clock of timers and timestamps. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). @defaultValue Math.random */
  readonly random?: (() => number) | undefined
  /**
   * If it aborts, the relay stops joining the cluster, and {@link startRelay} throws the reason of the
   * signal. After joining, call `close()` instead.
   */
  readonly signal?: AbortSignalLike | undefined
}

/** A relay that {@link startRelay} started. */
export interface RunningRelay extends Closable {
  /** The name of the relay in its cluster. */
  readonly name: string
  /** Returns the current status, without secrets. */
  status(): RelayStatus
  /**
   * Resolves when the relay has ended: with the reason, such as `RELAY_NAME_TAKEN`, or with `undefined` after
   * `close()`.
   */
  readonly ended: Promise<unknown>
  /**
   * Publishes the received events, releases all apps and leaves the cluster, within eight seconds. Events
   * that cannot be published within four seconds, because the sink is unavailable, are discarded. The service
   * sends them again, or they are within a gap.
   */
  close(): Promise<void>
}

/** The status of a relay. */
export interface RelayStatus {
  /**
   * Whether the relay is a member of its cluster, and writes the streams of all its assigned apps: a write was confirmed, or a probe of
   * the sink succeeded, within 15 seconds, and no subscription waits for a connection.
   */
  readonly isReady: boolean
  /** The names of the cluster's members. */
  readonly members: readonly string[]
  /** The apps that are assigned to this relay, by name. */
  readonly apps: Readonly<Record<string, 'relaying' | 'waiting'>>
  /** The reason of each app that is `waiting`, by name. */
  readonly reasons: Readonly<Record<string, string>>
}

/** How long the end waits for a token that is being created. */
const CLOSE_TOKENS_MS = 1000

type ReadSecret = NonNullable<StartRelayOptions['readSecret']>

/** A configuration with its defaults. The parsed text of a file is rejected, because it may lack defaults. */
const config: Schema<RelayConfig> = (value, option, fail) => {
  const given = isRecord(value) ? (value as Partial<RelayConfig>) : {}
  const isValid =
    Array.isArray(given.apps) &&
    given.apps.every((app) => isRecord(app) && Array.isArray(app.subscriptions)) &&
    typeof given.prefix === 'string' &&
    typeof given.heartbeatIntervalMs === 'number'
  if (isValid) return given as RelayConfig
  throw fail(option, 'a configuration that parseRelayConfig returned', typeName(value))
}
const OPTIONS = {
  config,
  store: port<Store>(['get', 'compareAndSet']),
  openSink: func<StartRelayOptions['openSink']>(),
  proxy: proxyOption,
  readSecret: func<ReadSecret>((field, ref) => resolveSecret(field, ref)),
  env: optional(custom<NonNullable<StartRelayOptions['env']>>('an object', isRecord)),
  observer: observer<RelayObserver & StreamsObserver & EdgeObserver>({
    ...RELAY_OBSERVER,
    ...STREAMS_OBSERVER,
    ...EDGE_OBSERVER,
  }),
  clock,
  random: func(Math.random),
  signal,
} satisfies FieldsOf<StartRelayOptions>

/**
 * Starts a relay. Resolves when it has joined its cluster. While the store is unavailable, it retries until
 * `signal` aborts.
 *
 * @throws RelayError `RELAY_OPTION_INVALID` if a secret is missing or an address is unknown; the reason of
 * the signal.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { createFileSink, parseRelayConfig, startRelay, streamName } from '@brokerwire/relay'
 * import { createFileStore } from '@brokerwire/stores/file'
 *
 * const config = parseRelayConfig(await readFile('relay.json', 'utf8'), 'relay.json')
 * const store = createFileStore({ directory: 'state' })
 * await using relay = await startRelay({
 *   config,
 *   store,
 *   openSink: (address) => createFileSink({ directory: 'events', name: streamName(address), store }),
 * })
 * console.log(relay.status())
 * ```
 */
export async function startRelay(given: StartRelayOptions): Promise<RunningRelay> {
  const options = readOptions(optionFailure, given, OPTIONS)
  const {
    config,
    store,
    openSink,
    readSecret,
    env = process.env,
    observer,
    clock,
    random,
    signal,
    proxy,
  } = options
  const name = resolveRelayName(config.name, env)
  const byName = new Map(config.apps.map((app) => [app.name, app]))
  const credentials = new Map<string, Credentials>()
  for (const [at, app] of config.apps.entries())
    credentials.set(app.name, await readCredentials(at, app, readSecret, clock))
  const tokens = createAppTokens({ store, clock, observer, proxy })
  /** The last run of each app. An earlier run of an app may still be ending. */
  const runs = new Map<string, { isWriter: boolean; relay?: AppRelay }>()
  const startApp = (app: string, { lingering, incarnation, onLingering }: AppStart): AppRun => {
    const appConfig = byName.get(app) as RelayAppConfig
    const { environment, region } = appConfig
    const address = { prefix: config.prefix, environment, region, app }
    const secrets = credentials.get(app) as Credentials
    const accessTokens = tokens.of(appConfig, secrets)
    const sink = openSink(address)
    const state: { isWriter: boolean; relay?: AppRelay } = { isWriter: false }
    runs.set(app, state)
    const { accounts, modules, eventTypes, subscribeType, subscriptions } = appConfig
    const relay = createAppRelay({
      address,
      selection: { accounts, modules, eventTypes, subscribeType, subscriptions },
      openStreams: (streamObserver) =>
        openStreams({
          app: appConfig,
          signer: secrets.signer,
          endpoint: secrets.endpoint,
          // Keys in stores that others read have the app's name instead of the app key.
          identity: { ...secrets.identity, appKey: app, hasTableAddresses: false },
          store,
          clock,
          accessTokens,
          slotLingerMs: config.slotLingerMs,
          observer: {
            ...observer,
            onStreamAlive(report) {
              streamObserver.onStreamAlive?.(report)
              return observer.onStreamAlive?.(report)
            },
          },
          proxy,
        }),
      sink,
      store,
      writer: { cluster: config.cluster, relay: name, incarnation },
      oversized: config.oversizedEvents,
      bufferBytes: config.bufferBytes,
      slotLingerMs: config.slotLingerMs,
      maxConnections: config.maxConnections,
      openOrder: config.openOrder,
      clock,
      random,
      observer,
      onWriter: () => {
        state.isWriter = true
      },
      onLingering,
    })
    state.relay = relay
    const run = async (): Promise<AppRunEnd> => {
      try {
        return await relay.run(lingering)
      } finally {
        state.isWriter = false
      }
    }
    return { ended: run(), drain: (now) => relay.drain(now), abort: () => relay.abort() }
  }
  const cluster = new Cluster({
    store,
    cluster: config.cluster,
    name,
    apps: [...byName.keys()],
    connectionsOf: (app) => byName.get(app)?.subscriptions.length ?? 0,
    maxConnections: config.maxConnections,
    clock,
    random,
    drawIncarnation: () => randomBytes(9).toString('base64url'),
    heartbeatIntervalMs: config.heartbeatIntervalMs,
    startApp,
    observer,
  })
  const close = async (): Promise<void> => {
    await cluster.close()
    // Wait for a create request that was sent, so that its token is saved.
    await withTimeout(
      clock,
      CLOSE_TOKENS_MS,
      undefined,
      () => tokens.close(),
      () => {},
    ).catch(() => {})
  }
  throwIfAborted(signal)
  try {
    await abortable(cluster.start(), signal)
  } catch (error) {
    await close()
    throw error
  }
  void cluster.ended.then(close)
  return {
    name,
    ended: cluster.ended,
    status() {
      const held = new Set(cluster.heldApps)
      const states = [...cluster.assigned].map(
        (app) => [app, describeWait(held.has(app) ? runs.get(app) : undefined)] as const,
      )
      return {
        isReady: cluster.isMember && states.every(([, reason]) => reason === undefined),
        members: cluster.members,
        apps: Object.fromEntries(
          states.map(([app, reason]) => [app, reason === undefined ? 'relaying' : 'waiting']),
        ),
        reasons: Object.fromEntries(
          states.flatMap(([app, reason]) => (reason === undefined ? [] : [[app, reason]])),
        ),
      }
    },
    ...closable(close),
  }
}

/** Returns why an app is not relayed completely; `undefined` if it is. @param run - The run of the app, if it has one. */
function describeWait(
  run: { readonly isWriter: boolean; readonly relay?: AppRelay } | undefined,
): string | undefined {
  if (run === undefined) return 'the app is not started yet, or waits for a restart'
  if (!run.isWriter) return 'the relay is not the writer of the stream yet'
  if (run.relay?.isWritable !== true) return 'the sink confirmed no write within 15 seconds'
  const wait = run.relay.connectionWait
  if (wait === undefined) {
    const names = run.relay.withoutConnection.join(', ')
    return names === ''
      ? undefined
      : `${names} cannot be opened: maxConnections is less than the number of subscriptions`
  }
  const { subscriptions, lingering, waitMs } = wait
  return `${subscriptions.join(', ')} will be opened within ${Math.ceil(waitMs / 1000)} s: the service may still count ${lingering} ended connections`
}

/** Creates the relay of an app. If that fails, it closes the sink. */
function createAppRelay(options: AppRelayOptions): AppRelay {
  try {
    return new AppRelay(options)
  } catch (error) {
    options.sink.close().catch(() => {})
    throw error
  }
}

/**
 * Checks the secrets and addresses of a configuration, as {@link startRelay} does first. It starts nothing.
 *
 * @param readSecret - The option of {@link startRelay}.
 * @param env - The option of {@link startRelay}.
 * @throws RelayError `RELAY_OPTION_INVALID` if a secret is missing or unusable, or an address is unknown.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { checkRelay, parseRelayConfig } from '@brokerwire/relay'
 *
 * await checkRelay(parseRelayConfig(await readFile('relay.json', 'utf8'), 'relay.json'))
 * ```
 */
export async function checkRelay(
  config: RelayConfig,
  readSecret: ReadSecret = (field, ref) => resolveSecret(field, ref),
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<void> {
  resolveRelayName(config.name, env)
  for (const [at, app] of config.apps.entries()) await readCredentials(at, app, readSecret, systemClock)
}

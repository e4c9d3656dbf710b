/** Parser of a relay's configuration file: JSON, checked by the schemas of its fields, with line and column in each error. */

import type { Environment, Region } from '@brokerwire/core/endpoints'
import {
  type Infer,
  isRecord,
  JsonLineError,
  type JsonWithLines,
  type OptionFailure,
  optionMessage,
  readJsonWithLines,
  readOptions,
  readOrigin,
  type TextPosition,
  typeName,
} from '@brokerwire/core/internal'
import { optionFailure, RelayError } from '../relay-error.ts'
import { readReceiverUrl } from '../webhook-sink/receiver-url.ts'
import { DEFAULT_ORDER, type Subscription } from '../wire/subjects.ts'
import { CONFIG_FIELDS } from './config-fields.ts'
import { objectJson, type SecretRef } from './fields.ts'
import { resolveAppEndpoint } from './origins.ts'

/** The configuration of an app: one app key of the service. */
export interface RelayAppConfig {
  /** Name of the app in subjects, streams and logs. Never its app key. */
  readonly name: string
  /** The environment of the service. */
  readonly environment: Environment
  /** The region of the service. */
  readonly region: Region
  /** The source of the app key. */
  readonly appKey: SecretRef
  /** The source of the app secret. */
  readonly appSecret: SecretRef
  /** The accounts of trade and position events. If it is empty, there are no such events. */
  readonly accounts: readonly string[]
  /** The subscriptions to open. @defaultValue the subscriptions that the other fields allow */
  readonly subscriptions: readonly Subscription[]
  /** The subscribe type of the trade subscription: 1 for orders, 2 for positions, 4 for options, or their sum. */
  readonly subscribeType?: number | undefined
  /** The modules whose events are relayed. */
  readonly modules: readonly string[]
  /** Further event types of module events. */
  readonly eventTypes: readonly string[]
  /** The origin of trade and position events. @defaultValue the origin for the region and environment */
  readonly eventsUrl?: string | undefined
  /** The origin of module events. @defaultValue the origin for the region and environment */
  readonly moduleEventsUrl?: string | undefined
  /** The origin of token requests. @defaultValue the origin for the region and environment */
  readonly baseUrl?: string | undefined
  /** Whether subscriptions send the access token of the store. @defaultValue false */
  readonly sendAccessToken: boolean
  /** Whether a token is created if the store never had one. @defaultValue false */
  readonly createToken: boolean
  /** Whether `http:` is allowed on hosts that are not loopback. @defaultValue false */
  readonly allowInsecure: boolean
}

/** The configuration of the sink. */
export type RelaySinkConfig =
  | {
      /** Events are written to files of JSON lines. */
      readonly type: 'file'
      /** The directory of the files. @defaultValue 'events' */
      readonly directory: string
      /** The length after which a file is rotated, bytes. @defaultValue 128 MiB */
      readonly maxFileBytes: number
      /** Maximum number of files of an app, including the current one. @defaultValue 16 */
      readonly maxFiles: number
      /** Whether messages have the attributes of CloudEvents as headers. @defaultValue false */
      readonly cloudEvents: boolean
    }
  | {
      /** Events are written to streams of NATS JetStream. */
      readonly type: 'jetstream'
      /** The addresses of the NATS servers. */
      readonly servers: readonly string[]
      /** The source of the text of a `.creds` file. @defaultValue no credentials */
      readonly credentials?: SecretRef | undefined
      /** The JetStream domain of the streams. @defaultValue the domain of the connection */
      readonly domain?: string | undefined
      /** Whether messages have the attributes of CloudEvents as headers. @defaultValue false */
      readonly cloudEvents: boolean
      /** The limits of streams that are created if they are missing. @defaultValue a missing stream is an error */
      readonly createStreams?:
        | { readonly replicas: number; readonly maxAgeMs: number; readonly maxBytes: number }
        | undefined
    }
  | {
      /** Events are written to a table of Postgres. */
      readonly type: 'postgres'
      /** The source of the connection string. */
      readonly connection: SecretRef
      /** The table of the events of all apps. @defaultValue 'brokerwire_events' */
      readonly table: string
      /** Whether rows have the attributes of CloudEvents in their own columns. @defaultValue false */
      readonly cloudEvents: boolean
      /** The limits beyond which the oldest events are deleted. @defaultValue nothing is deleted */
      readonly retention?:
        | {
            readonly maxAgeMs?: number | undefined
            readonly maxMessages?: number | undefined
            readonly deletes: boolean
          }
        | undefined
    }
  | {
      /** Events are written to streams of Redis. */
      readonly type: 'redis'
      /** The source of the URL. */
      readonly url: SecretRef
      /** Whether messages have the attributes of CloudEvents as headers. @defaultValue false */
      readonly cloudEvents: boolean
      /** The limits beyond which the oldest events are deleted. @defaultValue nothing is deleted */
      readonly retention?:
        | { readonly maxAgeMs?: number | undefined; readonly maxMessages?: number | undefined }
        | undefined
    }
  | RelayWebhookConfig
  | {
      /** Events are written to the sink of another package. */
      readonly type: 'package'
      /** The npm package, or the path of a module, that exports `createSink`. */
      readonly package: string
      /** The options that `createSink` gets. @defaultValue {} */
      readonly options: Readonly<Record<string, unknown>>
    }

/** The configuration of a sink that sends events as webhooks. */
export interface RelayWebhookConfig {
  readonly type: 'webhook'
  /** The URL of the receiver. */
  readonly url: string
  /** The source of the secret, or of several secrets that are separated by white space. */
  readonly secret: SecretRef
  /** Maximum number of events in a request. @defaultValue 1 */
  readonly maxBatchEvents: number
  /** Maximum length of a request's body, bytes. @defaultValue 1 MiB */
  readonly maxBodyBytes: number
  /** Time limit of an attempt, milliseconds. @defaultValue 15_000 */
  readonly timeoutMs: number
  /** The longest wait between two attempts, milliseconds. @defaultValue 60_000 */
  readonly maxRetryWaitMs: number
  /** The file of dead letters. @defaultValue none: an event is retried until it is accepted */
  readonly deadLetters?:
    | { readonly directory: string; readonly afterMs: number; readonly maxBytes: number }
    | undefined
  /** Whether private, loopback and link-local addresses are allowed. @defaultValue false */
  readonly allowPrivateAddresses: boolean
}

/** The configuration of the store for cursors, membership and tokens. */
export type RelayStoreConfig =
  | { readonly type: 'file'; readonly directory: string }
  | { readonly type: 'nats'; readonly bucket: string }
  | { readonly type: 'postgres'; readonly table: string }

/** A configuration with all defaults. It contains no secret. */
export interface RelayConfig {
  /** The name of the cluster, whose relays share the apps. @defaultValue 'main' */
  readonly cluster: string
  /** The name of this relay, or the environment variable that has it. `undefined`: a random name at each start. */
  readonly name?: string | { readonly env: string } | undefined
  /** The start of all subjects and stream names. @defaultValue 'brokerwire' */
  readonly prefix: string
  /** The apps of the cluster. */
  readonly apps: readonly RelayAppConfig[]
  /** The sink for the events. @defaultValue files */
  readonly sink: RelaySinkConfig
  /** The store for cursors, membership and tokens. @defaultValue files */
  readonly store: RelayStoreConfig
  /** The address of `/healthz`, `/readyz` and `/metrics`. @defaultValue 127.0.0.1, port 8480 */
  readonly health: { readonly host: string; readonly port: number }
  /**
   * The directory for oversized events, and the maximum number of bytes of one app's files.
   * @defaultValue no files
   */
  readonly oversizedEvents?: { readonly directory: string; readonly maxBytes: number } | undefined
  /** Reading of an app is paused while at least this many bytes wait to be stored. @defaultValue 64 MiB */
  readonly bufferBytes: number
  /** How long the service counts a lost connection, milliseconds. @defaultValue 60_000 */
  readonly slotLingerMs: number
  /** The service's limit for connections of an app key. @defaultValue 5 */
  readonly maxConnections: number
  /** The order in which subscriptions are opened. @defaultValue module, trade, position */
  readonly openOrder: readonly Subscription[]
  /** The interval of heartbeats in the cluster, milliseconds. @defaultValue 5000 */
  readonly heartbeatIntervalMs: number
}

/** An app as the file has it, without the defaults that depend on other fields. */
type AppFields = Infer<(typeof CONFIG_FIELDS)['apps']>[number]

const MAX_TEXT = 16 * 1024 * 1024

/**
 * Returns the JSON Schema of a configuration, for editors.
 *
 * @example
 * ```ts
 * import { relayConfigSchema } from '@brokerwire/relay'
 *
 * console.log(JSON.stringify(relayConfigSchema()))
 * ```
 */
export function relayConfigSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of @brokerwire/relay',
    ...objectJson(CONFIG_FIELDS),
  }
}

/**
 * Parses and validates a configuration.
 *
 * @param text - The text of the file.
 * @param file - The name of the file, for errors.
 * @throws RelayError `RELAY_CONFIG_INVALID` with line, column and field. The message shows a value only if it
 * is a wrong name for one of a few names. `RELAY_OPTION_INVALID` if `text` is not a string.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { parseRelayConfig } from '@brokerwire/relay'
 *
 * const config = parseRelayConfig(await readFile('relay.json', 'utf8'), 'relay.json')
 * console.log(config.apps.map(({ name }) => name))
 * ```
 */
export function parseRelayConfig(text: string, file = 'configuration'): RelayConfig {
  const configError = ({ line, column }: TextPosition, field: string, problem: string): RelayError =>
    new RelayError('RELAY_CONFIG_INVALID', `${file}:${line}:${column}: ${problem}`, {
      details: { file, line, column, field, problem },
    })
  if (typeof (text as unknown) !== 'string')
    throw optionFailure('text', 'the text of a configuration', typeName(text))
  if (text.length > MAX_TEXT)
    throw configError({ line: 1, column: 1 }, '', `the file must have at most ${MAX_TEXT} characters`)
  // Editors on Windows write a byte order mark, which JSON does not allow.
  const json = readJson(text.replace(/^\uFEFF/, ''), configError)
  const fail: OptionFailure = (
    field,
    expected,
    received,
    message = optionMessage(field, expected, received),
  ) => configError(json.positionOf(field), field, message)
  if (!isRecord(json.value)) {
    const problem = `the configuration must be an object; received ${typeName(json.value)}`
    throw configError(json.positionOf(''), '', problem)
  }
  const { $schema: _, ...read } = readOptions(fail, json.value, CONFIG_FIELDS)
  const names = read.apps.map(({ name }) => name)
  const apps = read.apps.map((app, at) => {
    const path = `apps[${at}]`
    if (names.indexOf(app.name) < at) throw fail(`${path}.name`, 'unique', 'the name of another app')
    return completeApp(app, path, fail)
  })
  const { type } = read.store
  const sinkType = type === 'nats' ? 'jetstream' : type
  if (type !== 'file' && read.sink.type !== sinkType)
    throw fail('store.type', `"file" unless sink.type is "${sinkType}"`, `"${type}"`)
  if (read.sink.type === 'webhook') readReceiverUrl(fail, 'sink.url', read.sink.url, read.sink)
  return { ...read, apps, openOrder: read.openOrder ?? DEFAULT_ORDER }
}

function readJson(
  text: string,
  configError: (position: TextPosition, field: string, problem: string) => Error,
): JsonWithLines {
  try {
    return readJsonWithLines(text)
  } catch (error) {
    if (error instanceof JsonLineError) throw configError(error, '', error.message)
    throw error
  }
}

function completeApp(app: AppFields, path: string, fail: OptionFailure): RelayAppConfig {
  const { accounts = [], modules = [], eventTypes = [], allowInsecure } = app
  const hasModules = modules.length + eventTypes.length > 0
  const { subscribeType } = app
  const isAvailable: Readonly<Record<Subscription, boolean>> = {
    module: hasModules,
    trade: accounts.length > 0,
    position: accounts.length > 0 && subscribeType === undefined,
  }
  const available = DEFAULT_ORDER.filter((one) => isAvailable[one])
  const subscriptions = app.subscriptions ?? available
  if (subscriptions.length === 0)
    throw fail(path, 'an app with accounts, modules or eventTypes', 'none of them')
  for (const [at, subscription] of subscriptions.entries()) {
    if (available.includes(subscription)) continue
    const field = `${path}.subscriptions[${at}]`
    if (subscription === 'position' && subscribeType !== undefined)
      throw fail(field, 'module or trade if subscribeType is set', '"position"')
    const needed = subscription === 'module' ? 'modules or eventTypes' : 'accounts'
    throw fail(field, `set with ${needed}`, 'none', `${field} needs ${needed} in the same app`)
  }
  if (subscribeType !== undefined && !subscriptions.includes('trade')) {
    const field = `${path}.subscribeType`
    throw fail(
      field,
      'set with accounts',
      'none',
      `${field} needs accounts and the subscription trade in the same app`,
    )
  }
  for (const name of ['eventsUrl', 'moduleEventsUrl', 'baseUrl'] as const) {
    if (app[name] !== undefined) readOrigin(fail, `${path}.${name}`, app[name], allowInsecure)
  }
  const sendAccessToken = app.sendAccessToken || app.createToken
  const complete = { ...app, sendAccessToken, accounts, modules, eventTypes, subscriptions }
  resolveAppEndpoint(complete, path, fail)
  return complete
}

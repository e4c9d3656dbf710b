/** Reads a relay's configuration file: JSON, checked by the schemas of its fields, with line and column in each error. */

import type { Environment, Region } from '@brokerwire/core/endpoints'
import {
  describe,
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
} from '@brokerwire/core/internal'
import { optionFailure, RelayError } from '../relay-error.ts'
import { DEFAULT_ORDER, type Subscription } from '../wire/subjects.ts'
import { CONFIG_FIELDS } from './config-fields.ts'
import { objectJson, type SecretPlace } from './fields.ts'
import { resolveKeyEndpoint } from './origins.ts'

/** An app key of a fleet. */
export interface RelayKeyConfig {
  readonly name: string
  readonly environment: Environment
  readonly region: Region
  readonly appKey: SecretPlace
  readonly appSecret: SecretPlace
  /** Empty: neither trade nor position events. */
  readonly accounts: readonly string[]
  readonly streams: readonly Subscription[]
  /** The events of the trade subscription, which then has those of positions too. */
  readonly subscribeType?: number | undefined
  readonly modules: readonly string[]
  readonly eventTypes: readonly string[]
  readonly eventsUrl?: string | undefined
  readonly moduleEventsUrl?: string | undefined
  readonly httpUrl?: string | undefined
  /** Whether subscriptions carry the access token of the store. */
  readonly sendAccessToken: boolean
  /** Whether one is asked for where the store never had one. */
  readonly createToken: boolean
  readonly allowInsecure: boolean
}

/** Where events are written to. */
export type RelaySinkConfig =
  | {
      readonly type: 'file'
      readonly directory: string
      readonly maxFileBytes: number
      readonly maxFiles: number
    }
  | {
      readonly type: 'jetstream'
      readonly servers: readonly string[]
      readonly credentials?: SecretPlace | undefined
      readonly domain?: string | undefined
      readonly createStreams?:
        | { readonly replicas: number; readonly maxAgeMs: number; readonly maxBytes: number }
        | undefined
    }

/** Where cursors, membership and tokens are kept. */
export type RelayStoreConfig =
  | { readonly type: 'file'; readonly directory: string }
  | { readonly type: 'nats'; readonly bucket: string }

/** A configuration with every default filled in. No secret is in it. */
export interface RelayConfig {
  readonly fleet: string
  /** The name, or the environment variable that has it. `undefined`: a random one at each start. */
  readonly name?: string | { readonly env: string } | undefined
  readonly prefix: string
  readonly keys: readonly RelayKeyConfig[]
  readonly sink: RelaySinkConfig
  readonly store: RelayStoreConfig
  readonly health: { readonly host: string; readonly port: number }
  /** Where events are written to that the sink does not take because of their size. */
  readonly oversizedEvents?: { readonly directory: string; readonly maxBytes: number } | undefined
  readonly bufferBytes: number
  readonly slotLingerMs: number
  readonly maxConnections: number
  readonly openOrder: readonly Subscription[]
  readonly beatMs: number
}

/** A key of a file, before the fields that depend on others are filled in. */
type KeyFields = Infer<(typeof CONFIG_FIELDS)['keys']>[number]

const MAX_TEXT = 16 * 1024 * 1024

/**
 * The JSON schema of a configuration, for editors.
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
 * Reads a configuration.
 *
 * @param text - What is in the file.
 * @param file - Its name, for errors.
 * @throws RelayError `RELAY_CONFIG_INVALID`, with line, column and field; only names in place of one of a few names are shown.
 * `RELAY_OPTION_INVALID` if `text` is no string.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { readRelayConfig } from '@brokerwire/relay'
 *
 * const config = readRelayConfig(await readFile('relay.json', 'utf8'), 'relay.json')
 * console.log(config.keys.map(({ name }) => name))
 * ```
 */
export function readRelayConfig(text: string, file = 'configuration'): RelayConfig {
  const configError = ({ line, column }: TextPosition, field: string, problem: string): RelayError =>
    new RelayError('RELAY_CONFIG_INVALID', `${file}:${line}:${column}: ${problem}`, {
      details: { file, line, column, field, problem },
    })
  if (typeof (text as unknown) !== 'string')
    throw optionFailure('text', 'the text of a configuration', describe(text))
  if (text.length > MAX_TEXT)
    throw configError({ line: 1, column: 1 }, '', `the file must have at most ${MAX_TEXT} characters`)
  // Editors on Windows write a byte order mark, which is no JSON.
  const json = readJson(text.replace(/^\uFEFF/, ''), configError)
  const fail: OptionFailure = (
    field,
    expected,
    received,
    message = optionMessage(field, expected, received),
  ) => configError(json.positionOf(field), field, message)
  if (!isRecord(json.value)) {
    const problem = `the configuration must be an object; received ${describe(json.value)}`
    throw configError(json.positionOf(''), '', problem)
  }
  const { $schema: _, ...read } = readOptions(fail, json.value, CONFIG_FIELDS)
  const names = read.keys.map(({ name }) => name)
  const keys = read.keys.map((key, at) => {
    const path = `keys[${at}]`
    if (names.indexOf(key.name) < at) throw fail(`${path}.name`, 'unique', 'the name of another key')
    return completeKey(key, path, fail)
  })
  if (read.store.type === 'nats' && read.sink.type !== 'jetstream')
    throw fail('store.type', '"file" unless sink.type is "jetstream"', '"nats"')
  return { ...read, keys, openOrder: read.openOrder ?? DEFAULT_ORDER }
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

function completeKey(key: KeyFields, path: string, fail: OptionFailure): RelayKeyConfig {
  const { accounts = [], modules = [], eventTypes = [], allowInsecure } = key
  const hasModules = modules.length + eventTypes.length > 0
  const { subscribeType } = key
  const isAvailable: Readonly<Record<Subscription, boolean>> = {
    module: hasModules,
    trade: accounts.length > 0,
    position: accounts.length > 0 && subscribeType === undefined,
  }
  const available = DEFAULT_ORDER.filter((one) => isAvailable[one])
  const streams = key.streams ?? available
  if (streams.length === 0) throw fail(path, 'a key with accounts, modules or eventTypes', 'none of them')
  for (const [at, stream] of streams.entries()) {
    if (available.includes(stream)) continue
    const field = `${path}.streams[${at}]`
    if (stream === 'position' && subscribeType !== undefined)
      throw fail(field, 'module or trade if subscribeType is set', '"position"')
    const needed = stream === 'module' ? 'modules or eventTypes' : 'accounts'
    throw fail(field, `set with ${needed}`, 'none', `${field} needs ${needed} in the same key`)
  }
  for (const name of ['eventsUrl', 'moduleEventsUrl', 'httpUrl'] as const) {
    if (key[name] !== undefined) readOrigin(fail, `${path}.${name}`, key[name], allowInsecure)
  }
  const sendAccessToken = key.sendAccessToken || key.createToken
  const complete = { ...key, sendAccessToken, accounts, modules, eventTypes, streams }
  resolveKeyEndpoint(complete, path, fail)
  return complete
}

/** Reads a relay's configuration: JSON, checked by the table of fields, with the line in every error. */

import type { Environment, Region } from '@brokerwire/core/endpoints'
import {
  describe,
  JsonLineError,
  type JsonWithLines,
  type OptionFailure,
  readJsonWithLines,
  readOrigin,
} from '@brokerwire/core/internal'
import { DEFAULT_ORDER, type Subscription } from '../fleet/slots.ts'
import { optionFailure, RelayError } from '../relay-error.ts'
import { CONFIG_FIELDS } from './fields.ts'
import { originsOf } from './origins.ts'
import { objectSchema, readFields, type SecretPlace } from './shape.ts'

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
  /** `undefined`: drawn at each start. */
  readonly name?: string | undefined
  readonly prefix: string
  readonly keys: readonly RelayKeyConfig[]
  readonly sink: RelaySinkConfig
  readonly store: RelayStoreConfig
  readonly health: { readonly host: string; readonly port: number }
  readonly bufferBytes: number
  readonly slotLingerMs: number
  readonly maxConnections: number
  readonly openOrder: readonly Subscription[]
  readonly beatMs: number
}

/** A key as it is written, before what depends on other fields is filled in. */
type WrittenKey = Partial<RelayKeyConfig> &
  Pick<
    RelayKeyConfig,
    | 'name'
    | 'environment'
    | 'region'
    | 'appKey'
    | 'appSecret'
    | 'allowInsecure'
    | 'sendAccessToken'
    | 'createToken'
  >

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
    ...objectSchema(CONFIG_FIELDS),
  }
}

/**
 * Reads a configuration.
 *
 * @param text - What is in the file.
 * @param file - Its name, for errors.
 * @throws RelayError `RELAY_CONFIG_INVALID`, with line and field. No value is ever shown. `RELAY_OPTION_INVALID` where
 * `text` is no text.
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
  const wrong = (line: number, field: string, problem: string): RelayError => {
    const at = field === '' ? '' : `${field}: `
    return new RelayError('RELAY_CONFIG_INVALID', `${file}, line ${line}: ${at}${problem}`, {
      details: { file, line, field, problem },
    })
  }
  if (typeof (text as unknown) !== 'string')
    throw optionFailure('text', 'the text of a configuration', describe(text))
  if (text.length > MAX_TEXT) throw wrong(1, '', `expected a text of at most ${MAX_TEXT} characters`)
  // Editors of Windows write the mark; it is none of the JSON.
  const json = readJson(text.replace(/^\uFEFF/, ''), wrong)
  const fail: OptionFailure = (field, expected, received, message) =>
    wrong(json.lineOf(field), field, message ?? `expected ${expected}, got ${received}`)
  const { $schema: _, ...read } = readFields(json.value, CONFIG_FIELDS, '', fail) as Omit<
    RelayConfig,
    'keys'
  > & {
    readonly $schema?: string
    readonly keys: readonly WrittenKey[]
  }
  const names = read.keys.map(({ name }) => name)
  const keys = read.keys.map((key, at) => {
    const path = `keys[${at}]`
    if (names.indexOf(key.name) < at) throw fail(`${path}.name`, 'a name of its own', 'that of another key')
    return completeKey(key, path, fail)
  })
  if (read.store.type === 'nats' && read.sink.type !== 'jetstream')
    throw fail('store.type', 'file, where sink.type is not jetstream', 'nats')
  return { ...read, keys, openOrder: read.openOrder ?? DEFAULT_ORDER }
}

function readJson(
  text: string,
  wrong: (line: number, field: string, problem: string) => Error,
): JsonWithLines {
  try {
    return readJsonWithLines(text)
  } catch (error) {
    if (error instanceof JsonLineError) throw wrong(error.line, '', error.message)
    throw error
  }
}

function completeKey(key: WrittenKey, path: string, fail: OptionFailure): RelayKeyConfig {
  const { accounts = [], modules = [], eventTypes = [], allowInsecure } = key
  const hasModules = modules.length + eventTypes.length > 0
  const possible = DEFAULT_ORDER.filter((one) => (one === 'module' ? hasModules : accounts.length > 0))
  const streams = key.streams ?? possible
  if (streams.length === 0) throw fail(path, 'accounts, modules or eventTypes', 'none of them')
  for (const [at, stream] of streams.entries()) {
    if (possible.includes(stream)) continue
    const needed = stream === 'module' ? 'modules or eventTypes' : 'accounts'
    throw fail(`${path}.streams[${at}]`, `${needed} beside it`, 'none')
  }
  for (const name of ['eventsUrl', 'moduleEventsUrl', 'httpUrl'] as const) {
    if (key[name] !== undefined) readOrigin(fail, `${path}.${name}`, key[name], allowInsecure)
  }
  const sendAccessToken = key.sendAccessToken || key.createToken
  const complete = { ...key, sendAccessToken, accounts, modules, eventTypes, streams }
  originsOf(complete, path, fail)
  return complete
}

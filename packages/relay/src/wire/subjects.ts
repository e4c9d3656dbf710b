/**
 * Subjects: `PREFIX.ENVIRONMENT.REGION.KEY.STREAM.` and then `event.ACCOUNT.NAME`, `undecodable.REASON` or `notice.NAME`.
 *
 * A consumer that follows `PREFIX.ENVIRONMENT.REGION.KEY.trade.>` gets the events of a stream and what is said about them.
 * The account stands where the payload has one that can be read: it is a hint for filters, never a promise.
 */
import { createHash } from 'node:crypto'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import {
  encodeName,
  object,
  oneOf,
  parseJsonObject,
  type Schema,
  string,
  utf8Encode,
} from '@brokerwire/core/internal'
import type { UndecodableReason } from '@brokerwire/streams'

/** The stream of one app key: what its subjects and its name are made of. */
export interface StreamAddress {
  readonly prefix: string
  readonly environment: Environment
  readonly region: Region
  /** The name of the key in the configuration. Never the app key itself. */
  readonly key: string
}

/** No part may contain separators or wildcards of a subject or of a stream's name. */
const part = string({ pattern: /^[A-Za-z0-9-]+$/, expected: 'letters, digits and -', isName: true })

/** Schema of {@link StreamAddress}. */
export const streamAddress: Schema<StreamAddress> = object({
  prefix: part,
  environment: oneOf(['sandbox', 'production']),
  region: oneOf(['hk', 'us']),
  key: part,
})

/** A subscription of an app key. */
export type Subscription = 'module' | 'trade' | 'position'

/** The order in which subscriptions are opened. Module events lose nothing by waiting, so they get the first free connection. */
export const DEFAULT_ORDER: readonly Subscription[] = ['module', 'trade', 'position']

/** The streams of an app key: its three subscriptions, and the notices of the relay itself. */
export type RelayStream = Subscription | 'relay'

/** Stands for an account that no payload names. */
const NO_ACCOUNT = '_'

/**
 * Encoded names longer than this stand as their hash. A line of the NATS protocol has at most 4,096 bytes, and a subject has
 * two names from elsewhere, so that it stays below that whatever they are.
 */
const MAX_NAME = 1024

/** @returns One token of a subject: any two names stay two, and none holds a separator or a wildcard. */
export function subjectToken(name: string): string {
  // The empty name, and the one that stands for no name, are told from what means them.
  if (name === '') return '='
  if (name === NO_ACCOUNT) return '=5F'
  // No escape begins with a letter below G.
  const hashed = (): string => `=sha256=${createHash('sha256').update(utf8Encode(name)).digest('hex')}`
  if (name.length > MAX_NAME) return hashed()
  const encoded = encodeName(name)
  return encoded.length > MAX_NAME ? hashed() : encoded
}

/** The subject that all messages of a key begin with. */
export function subjectRoot({ prefix, environment, region, key }: StreamAddress): string {
  return `${prefix}.${environment}.${region}.${key}`
}

/** All that a key's stream takes. */
export function subjectsOf(address: StreamAddress): string {
  return `${subjectRoot(address)}.>`
}

/**
 * The name of the key's stream. None of its parts holds an underscore.
 *
 * @example
 * ```ts
 * import { streamName } from '@brokerwire/relay'
 *
 * const name = streamName({ prefix: 'brokerwire', environment: 'sandbox', region: 'us', key: 'desk-a' })
 * console.log(name) // brokerwire_sandbox_us_desk-a
 * ```
 */
export function streamName({ prefix, environment, region, key }: StreamAddress): string {
  return `${prefix}_${environment}_${region}_${key}`
}

/** @param account - `undefined`: none can be read. @param name - Kind of a trade event, event type of a module event. */
export function eventSubject(
  root: string,
  stream: Exclude<RelayStream, 'relay'>,
  account: string | undefined,
  name: string,
): string {
  const token = account === undefined ? NO_ACCOUNT : subjectToken(account)
  return `${root}.${stream}.event.${token}.${subjectToken(name)}`
}

/** @param reason - Why the message cannot be decoded. */
export function undecodableSubject(
  root: string,
  stream: Exclude<RelayStream, 'relay'>,
  reason: UndecodableReason,
): string {
  return `${root}.${stream}.undecodable.${reason}`
}

export function noticeSubject(root: string, stream: RelayStream, kind: string): string {
  return `${root}.${stream}.notice.${subjectToken(kind)}`
}

/** Whether a subject is one of those that a filter names: `*` is any one token, `>` at the end all that follow. */
export function matchesSubject(filter: string, subject: string): boolean {
  const wanted = filter.split('.')
  const tokens = subject.split('.')
  for (const [at, token] of wanted.entries()) {
    if (token === '>') return tokens.length > at
    if (at >= tokens.length || (token !== '*' && token !== tokens[at])) return false
  }
  return tokens.length === wanted.length
}

/**
 * The account that a payload names, at its top (trade events) or in what its envelope holds (module events).
 *
 * @returns `undefined` where nothing there can be read as one.
 */
export function accountOf(payload: string): string | undefined {
  const outer = parseJsonObject(payload)
  const account = outer?.account_id
  if (typeof account === 'string' && account !== '') return account
  const inner = outer?.payload
  if (typeof inner !== 'object' || inner === null || !('account_id' in inner)) return undefined
  return typeof inner.account_id === 'string' && inner.account_id !== '' ? inner.account_id : undefined
}

/**
 * Subjects: `PREFIX.ENVIRONMENT.REGION.APP.SOURCE.` and then `event.ACCOUNT.NAME`, `undecodable.REASON` or `notice.NAME`.
 *
 * A consumer of `PREFIX.ENVIRONMENT.REGION.APP.trade.>` gets the events and the notices of one subscription. `ACCOUNT` is `_` if the
 * payload has no readable account, so a filter on an account misses such events.
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

/** The address of an app's stream: the parts of its subjects and of its name. */
export interface StreamAddress {
  /** The start of all subjects and stream names. */
  readonly prefix: string
  /** The environment of the service. */
  readonly environment: Environment
  /** The region of the service. */
  readonly region: Region
  /** The name of the app in the configuration. Never its app key. */
  readonly app: string
}

/** Schema of one part of an address. A part has no separators and wildcards of subjects and stream names. */
const part = string({ pattern: /^[A-Za-z0-9-]+$/, expected: 'letters, digits and -', isName: true })

/** The schema of a {@link StreamAddress}. */
export const streamAddress: Schema<StreamAddress> = object({
  prefix: part,
  environment: oneOf(['sandbox', 'production']),
  region: oneOf(['hk', 'us']),
  app: part,
})

/** The subscriptions of an app. */
export type Subscription = 'module' | 'trade' | 'position'

/**
 * The default order in which subscriptions are opened. Module events get the first free connection, although
 * they would lose nothing by waiting.
 */
export const DEFAULT_ORDER: readonly Subscription[] = ['module', 'trade', 'position']

/** The source of a message: one of the app's subscriptions, or the relay itself for its own notices. */
export type MessageSource = Subscription | 'relay'

/** The token of events without a readable account. */
const NO_ACCOUNT = '_'

/**
 * Encoded names that are longer than this are replaced by their hash. A line of the NATS protocol has at most
 * 4,096 bytes, and a subject has two names of the service.
 */
export const MAX_TOKEN_LENGTH = 1024

/**
 * Encodes a name as one token of a subject. Different names have different tokens, without separators and
 * wildcards.
 */
export function subjectToken(name: string): string {
  // Escapes for the empty name and for a name that equals NO_ACCOUNT.
  if (name === '') return '='
  if (name === NO_ACCOUNT) return '=5F'
  // The hash is not ambiguous, because no other escape starts with a lowercase letter.
  const hashed = (): string => `=sha256=${createHash('sha256').update(utf8Encode(name)).digest('hex')}`
  if (name.length > MAX_TOKEN_LENGTH) return hashed()
  const encoded = encodeName(name)
  return encoded.length > MAX_TOKEN_LENGTH ? hashed() : encoded
}

/**
 * Returns the prefix of all subjects of an app.
 *
 * @example
 * ```ts
 * import { subjectRoot } from '@brokerwire/relay'
 *
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
 * console.log(subjectRoot(address)) // brokerwire.sandbox.us.team-a
 * ```
 */
export function subjectRoot({ prefix, environment, region, app }: StreamAddress): string {
  return `${prefix}.${environment}.${region}.${app}`
}

/**
 * Returns the subjects of an app's stream, as a wildcard.
 *
 * @example
 * ```ts
 * import { streamSubjects } from '@brokerwire/relay'
 *
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
 * console.log(streamSubjects(address)) // brokerwire.sandbox.us.team-a.>
 * ```
 */
export function streamSubjects(address: StreamAddress): string {
  return `${subjectRoot(address)}.>`
}

/**
 * Returns the name of an app's stream. None of its parts contains an underscore.
 *
 * @example
 * ```ts
 * import { streamName } from '@brokerwire/relay'
 *
 * const name = streamName({ prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' })
 * console.log(name) // brokerwire_sandbox_us_team-a
 * ```
 */
export function streamName({ prefix, environment, region, app }: StreamAddress): string {
  return `${prefix}_${environment}_${region}_${app}`
}

/**
 * Returns the subject of an event.
 *
 * @param account - The account of the event; `undefined` if it has no account.
 * @param name - The kind of a trade event, or the event type of a module event.
 *
 * @example
 * ```ts
 * import { eventSubject } from '@brokerwire/relay'
 *
 * console.log(eventSubject('root', 'trade', 'A1', 'order')) // root.trade.event.A1.order
 * ```
 */
export function eventSubject(
  root: string,
  subscription: Subscription,
  account: string | undefined,
  name: string,
): string {
  const token = account === undefined ? NO_ACCOUNT : subjectToken(account)
  return `${root}.${subscription}.event.${token}.${subjectToken(name)}`
}

/**
 * Returns the subject of an undecodable message.
 *
 * @param reason - The reason as a code.
 *
 * @example
 * ```ts
 * import { undecodableSubject } from '@brokerwire/relay'
 *
 * console.log(undecodableSubject('root', 'trade', 'malformed')) // root.trade.undecodable.malformed
 * ```
 */
export function undecodableSubject(
  root: string,
  subscription: Subscription,
  reason: UndecodableReason,
): string {
  return `${root}.${subscription}.undecodable.${reason}`
}

/**
 * Returns the subject of a notice.
 *
 * @example
 * ```ts
 * import { noticeSubject } from '@brokerwire/relay'
 *
 * console.log(noticeSubject('root', 'trade', 'gap')) // root.trade.notice.gap
 * ```
 */
export function noticeSubject(root: string, source: MessageSource, kind: string): string {
  return `${root}.${source}.notice.${subjectToken(kind)}`
}

/**
 * Whether a subject matches a filter. `*` matches any one token; `>` at the end matches one or more tokens
 * that follow.
 *
 * @example
 * ```ts
 * import { matchesSubject } from '@brokerwire/relay'
 *
 * console.log(matchesSubject('root.trade.event.*.order', 'root.trade.event.A1.order')) // true
 * ```
 */
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
 * Returns the account of a payload, at its top (trade events) or in the payload of its envelope (module events).
 *
 * @returns `undefined` if the payload has no readable account.
 *
 * @example
 * ```ts
 * import { getAccount } from '@brokerwire/relay'
 *
 * console.log(getAccount('{"account_id":"A1"}')) // A1
 * ```
 */
export function getAccount(payload: string): string | undefined {
  const outer = parseJsonObject(payload)
  const account = outer?.account_id
  if (typeof account === 'string' && account !== '') return account
  const inner = outer?.payload
  if (typeof inner !== 'object' || inner === null || !('account_id' in inner)) return undefined
  return typeof inner.account_id === 'string' && inner.account_id !== '' ? inner.account_id : undefined
}

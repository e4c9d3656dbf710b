/** Records of a state file: one fact a line. A later record about the same thing replaces an earlier one. */
import { isRecord, received, receivedName } from '@brokerwire/core/internal'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import { LAST_DATE_MS, LATEST_MS } from '../time/offset-clock.ts'
import type { IssuedToken } from '../tokens/access-tokens.ts'
import type { IssuedPair } from '../tokens/client-tokens.ts'
import { LIMITED, type Limited } from '../tokens/rate-limit.ts'

/** The current version of the format. */
export const STATE_VERSION = 1

/** A record. `app` is an app's name. */
export type StateRecord =
  | { readonly kind: 'simulator'; readonly version: number; readonly seed: number }
  | { readonly kind: 'app'; readonly app: string; readonly appKey: string; readonly appSecret: string }
  | { readonly kind: 'clock'; readonly offsetMs: number }
  | { readonly kind: 'token'; readonly app: string; readonly token: string; readonly times: IssuedToken }
  | {
      readonly kind: 'pair'
      readonly app: string
      readonly user: string
      readonly pair: IssuedPair | null
    }
  | { readonly kind: 'call'; readonly app: string; readonly of: Limited; readonly atMs: number }
  | { readonly kind: 'nonce'; readonly app: string; readonly nonce: string; readonly expiresAtMs: number }
  | { readonly kind: 'console'; readonly token: string; readonly port: number }
  /** Number of events that an app's logs have dropped. */
  | { readonly kind: 'start'; readonly app: string; readonly trade: number; readonly module: number }
  | { readonly kind: 'trade'; readonly app: string; readonly event: EmittedTradeEvent }
  | { readonly kind: 'module'; readonly app: string; readonly event: EmittedModuleEvent }

/** A rule for a field: its description, and a check. */
type Rule = readonly [expected: string, isRight: (value: unknown) => boolean]
type Rules = Readonly<Record<string, Rule>>

const TEXT: Rule = ['a string', (value) => typeof value === 'string']
const NAME: Rule = ['a non-empty string', (value) => typeof value === 'string' && value !== '']
const FLAG: Rule = ['true or false', (value) => typeof value === 'boolean']
const WHOLE: Rule = [
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
]
const INSTANT: Rule = [
  'milliseconds since the Unix epoch',
  (value) => Number.isSafeInteger(value) && Math.abs(value as number) <= LAST_DATE_MS,
]
const OFFSET: Rule = [
  `milliseconds from 0 to ${LATEST_MS}`,
  (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LATEST_MS,
]
const CODE: Rule = [
  'a whole number from 0 to 2147483647',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 2_147_483_647,
]
const ENDPOINT: Rule = [
  LIMITED.map((name) => `"${name}"`).join(' or '),
  (value) => LIMITED.includes(value as Limited),
]
const PORT: Rule = [
  'a whole number from 0 to 65535',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
]
const optional = ([expected, isRight]: Rule): Rule => [
  `${expected}, or nothing`,
  (value) => value === undefined || isRight(value),
]
const oneOf = (...names: readonly unknown[]): Rule => [
  `one of ${names.join(', ')}`,
  (value) => names.includes(value),
]

/** Rules for nested fields. */
interface Inner {
  readonly inside: Rules
  readonly orNull?: true
}

const TIMES: Inner = {
  inside: {
    appKey: TEXT,
    createdAtMs: INSTANT,
    verifiedAtMs: optional(INSTANT),
    lastUsedAtMs: optional(INSTANT),
    expiresAtMs: INSTANT,
    forced: optional(oneOf('INVALID', 'EXPIRED')),
  },
}
const PAIR: Inner = {
  inside: {
    accessToken: TEXT,
    expiresAtMs: INSTANT,
    refreshToken: TEXT,
    refreshExpiresAtMs: INSTANT,
    appKey: TEXT,
    user: TEXT,
  },
  orNull: true,
}
const TRADE_EVENT: Inner = {
  inside: {
    kind: oneOf('order', 'position', 'option'),
    eventType: CODE,
    accountId: TEXT,
    contentType: TEXT,
    payload: TEXT,
    requestId: TEXT,
    timestampMs: WHOLE,
    invented: FLAG,
  },
}
const MODULE_EVENT: Inner = {
  inside: {
    module: optional(TEXT),
    id: TEXT,
    eventType: TEXT,
    position: TEXT,
    timestamp: TEXT,
    version: TEXT,
    payload: TEXT,
    invented: FLAG,
  },
}

const FIELDS: Readonly<Record<StateRecord['kind'], Readonly<Record<string, Rule | Inner>>>> = {
  simulator: { version: WHOLE, seed: WHOLE },
  app: { app: NAME, appKey: NAME, appSecret: NAME },
  clock: { offsetMs: OFFSET },
  token: { app: TEXT, token: TEXT, times: TIMES },
  pair: { app: TEXT, user: TEXT, pair: PAIR },
  call: { app: TEXT, of: ENDPOINT, atMs: INSTANT },
  nonce: { app: TEXT, nonce: TEXT, expiresAtMs: INSTANT },
  console: { token: NAME, port: PORT },
  start: { app: TEXT, trade: WHOLE, module: WHOLE },
  trade: { app: TEXT, event: TRADE_EVENT },
  module: { app: TEXT, event: MODULE_EVENT },
}

/** Parses a line. @returns The record, or a description of the error. */
export function parseRecord(line: string): StateRecord | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'must be JSON'
  }
  const kind = isRecord(value) ? value.kind : undefined
  if (!isRecord(value) || typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) {
    return `kind must be one of ${Object.keys(FIELDS).join(', ')}; received ${receivedName(kind)}`
  }
  return problemIn(value, FIELDS[kind as StateRecord['kind']], '') ?? (value as StateRecord)
}

function problemIn(
  value: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, Rule | Inner>>,
  path: string,
): string | undefined {
  for (const [name, rule] of Object.entries(rules)) {
    const field = value[name]
    if ('inside' in rule) {
      if (field === null && rule.orNull) continue
      const problem = isRecord(field)
        ? problemIn(field, rule.inside, `${name}.`)
        : `${name} must be an object; received ${received(field)}`
      if (problem !== undefined) return problem
    } else if (!rule[1](field)) return `${path}${name} must be ${rule[0]}; received ${received(field)}`
  }
  return undefined
}

/**
 * Records of a state file, one per line. A later record of the same object, such as a token, replaces an
 * earlier one.
 */
import { isRecord, received, receivedName } from '@brokerwire/core/internal'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import { MAX_DATE_MS, MAX_TIME_MS } from '../time/offset-clock.ts'
import type { IssuedToken } from '../tokens/access-token-repository.ts'
import type { IssuedPair } from '../tokens/client-token-repository.ts'
import { LIMIT_GROUPS, type LimitGroup } from '../tokens/rate-limit.ts'
import { isHoldingsRecord, isOrderRecords, type TradingRecord } from '../trading/trading-record.ts'

/** The current version of the format. */
export const STATE_VERSION = 1

/** A record. `app` is the name of an app. */
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
  | { readonly kind: 'call'; readonly app: string; readonly of: LimitGroup; readonly atMs: number }
  | { readonly kind: 'nonce'; readonly app: string; readonly nonce: string; readonly expiresAtMs: number }
  | { readonly kind: 'console'; readonly token: string; readonly port: number }
  /** Number of events that an app's logs have discarded. */
  | { readonly kind: 'start'; readonly app: string; readonly trade: number; readonly module: number }
  | { readonly kind: 'trade'; readonly app: string; readonly event: EmittedTradeEvent }
  | { readonly kind: 'module'; readonly app: string; readonly event: EmittedModuleEvent }
  | TradingRecord

/** A rule for a field: its description, and a check. */
type Rule = readonly [expected: string, isRight: (value: unknown) => boolean]
type Rules = Readonly<Record<string, Rule>>

const STRING: Rule = ['a string', (value) => typeof value === 'string']
const NON_EMPTY_STRING: Rule = ['a non-empty string', (value) => typeof value === 'string' && value !== '']
const BOOLEAN: Rule = ['true or false', (value) => typeof value === 'boolean']
const WHOLE_NUMBER: Rule = [
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
]
const TIMESTAMP_MS: Rule = [
  'milliseconds since the Unix epoch',
  (value) => Number.isSafeInteger(value) && Math.abs(value as number) <= MAX_DATE_MS,
]
const OFFSET_MS: Rule = [
  `milliseconds from 0 to ${MAX_TIME_MS}`,
  (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TIME_MS,
]
const EVENT_TYPE: Rule = [
  'a whole number from 0 to 2147483647',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 2_147_483_647,
]
const ENDPOINT: Rule = [
  LIMIT_GROUPS.map((name) => `"${name}"`).join(' or '),
  (value) => LIMIT_GROUPS.includes(value as LimitGroup),
]
const PORT: Rule = [
  'a whole number from 0 to 65535',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
]
const HOLDINGS: Rule = ['cash and positions, or null', isHoldingsRecord]
const ORDERS: Rule = ['an array of orders', isOrderRecords]
const optional = ([expected, isRight]: Rule): Rule => [
  `${expected}, or nothing`,
  (value) => value === undefined || isRight(value),
]
const oneOf = (...names: readonly unknown[]): Rule => [
  `one of ${names.join(', ')}`,
  (value) => names.includes(value),
]

/** Rules for nested fields. */
interface NestedRules {
  readonly fields: Rules
  readonly orNull?: true
}

const TIMES: NestedRules = {
  fields: {
    appKey: STRING,
    createdAtMs: TIMESTAMP_MS,
    verifiedAtMs: optional(TIMESTAMP_MS),
    lastUsedAtMs: optional(TIMESTAMP_MS),
    expiresAtMs: TIMESTAMP_MS,
    forced: optional(oneOf('INVALID', 'EXPIRED')),
  },
}
const PAIR: NestedRules = {
  fields: {
    accessToken: STRING,
    expiresAtMs: TIMESTAMP_MS,
    refreshToken: STRING,
    refreshExpiresAtMs: TIMESTAMP_MS,
    appKey: STRING,
    user: STRING,
  },
  orNull: true,
}
const TRADE_EVENT: NestedRules = {
  fields: {
    kind: oneOf('order', 'position', 'option'),
    eventType: EVENT_TYPE,
    accountId: STRING,
    contentType: STRING,
    payload: STRING,
    requestId: STRING,
    timestampMs: WHOLE_NUMBER,
    invented: BOOLEAN,
  },
}
const MODULE_EVENT: NestedRules = {
  fields: {
    module: optional(STRING),
    id: STRING,
    eventType: STRING,
    position: STRING,
    timestamp: STRING,
    version: STRING,
    payload: STRING,
    invented: BOOLEAN,
  },
}

const FIELDS: Readonly<Record<StateRecord['kind'], Readonly<Record<string, Rule | NestedRules>>>> = {
  simulator: { version: WHOLE_NUMBER, seed: WHOLE_NUMBER },
  app: { app: NON_EMPTY_STRING, appKey: NON_EMPTY_STRING, appSecret: NON_EMPTY_STRING },
  clock: { offsetMs: OFFSET_MS },
  token: { app: STRING, token: STRING, times: TIMES },
  pair: { app: STRING, user: STRING, pair: PAIR },
  call: { app: STRING, of: ENDPOINT, atMs: TIMESTAMP_MS },
  nonce: { app: STRING, nonce: STRING, expiresAtMs: TIMESTAMP_MS },
  console: { token: NON_EMPTY_STRING, port: PORT },
  start: { app: STRING, trade: WHOLE_NUMBER, module: WHOLE_NUMBER },
  trade: { app: STRING, event: TRADE_EVENT },
  module: { app: STRING, event: MODULE_EVENT },
  trading: { app: STRING, accountId: NON_EMPTY_STRING, holdings: HOLDINGS, orders: ORDERS },
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
  return findProblem(value, FIELDS[kind as StateRecord['kind']], '') ?? (value as StateRecord)
}

function findProblem(
  value: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, Rule | NestedRules>>,
  path: string,
): string | undefined {
  for (const [name, rule] of Object.entries(rules)) {
    const field = value[name]
    if ('fields' in rule) {
      if (field === null && rule.orNull) continue
      const problem = isRecord(field)
        ? findProblem(field, rule.fields, `${name}.`)
        : `${name} must be an object; received ${received(field)}`
      if (problem !== undefined) return problem
    } else if (!rule[1](field)) return `${path}${name} must be ${rule[0]}; received ${received(field)}`
  }
  return undefined
}

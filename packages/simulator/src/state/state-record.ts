/** What a state file holds, line by line: each line a fact, a later one about the same thing in its place. */
import { isRecord } from '@brokerwire/core'
import { shownName } from '../checks.ts'
import type { EmittedModuleEvent, EmittedTradeEvent } from '../events/emitted.ts'
import type { IssuedToken } from '../tokens/access-tokens.ts'
import type { IssuedPair } from '../tokens/client-tokens.ts'

/** The version of the format that is written. */
export const STATE_VERSION = 1

/** A line. `app` is an app's name. */
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
  | { readonly kind: 'call'; readonly app: string; readonly atMs: number }
  | { readonly kind: 'nonce'; readonly app: string; readonly nonce: string; readonly expiresAtMs: number }
  /** How many events an app's logs had let go. */
  | { readonly kind: 'start'; readonly app: string; readonly trade: number; readonly module: number }
  | { readonly kind: 'trade'; readonly app: string; readonly event: EmittedTradeEvent }
  | { readonly kind: 'module'; readonly app: string; readonly event: EmittedModuleEvent }

type FieldType = 'string' | 'number' | 'object'

const FIELDS: Readonly<Record<StateRecord['kind'], Readonly<Record<string, FieldType>>>> = {
  simulator: { version: 'number', seed: 'number' },
  app: { app: 'string', appKey: 'string', appSecret: 'string' },
  clock: { offsetMs: 'number' },
  token: { app: 'string', token: 'string', times: 'object' },
  pair: { app: 'string', user: 'string', pair: 'object' },
  call: { app: 'string', atMs: 'number' },
  nonce: { app: 'string', nonce: 'string', expiresAtMs: 'number' },
  start: { app: 'string', trade: 'number', module: 'number' },
  trade: { app: 'string', event: 'object' },
  module: { app: 'string', event: 'object' },
}

/** Reads a line. @returns What is wrong with it, as text, where it is none. */
export function parseRecord(line: string): StateRecord | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'no JSON'
  }
  const kind = isRecord(value) ? value.kind : undefined
  if (!isRecord(value) || typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) {
    return `kind: expected one of ${Object.keys(FIELDS).join(', ')}, got ${shownName(kind)}`
  }
  for (const [name, type] of Object.entries(FIELDS[kind as StateRecord['kind']])) {
    if (typeof value[name] !== type) return `${name}: expected a value of type ${type}`
  }
  return value as StateRecord
}

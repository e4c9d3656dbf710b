/** Checks the options of the journal and of its calls. */
import type { Store } from '@brokerwire/core'
import {
  clock,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  oneOf,
  optional,
  origin,
  port,
  readOptions,
  type Schema,
  signal,
  string,
  unchecked,
} from '@brokerwire/core/internal'
import { optionFailure } from './orders-error.ts'
import type { EntryId, JournalClient, OrderJournalOptions, PlaceOptions, RecoverOptions } from './types.ts'

const DAY_MS = 86_400_000

const client: Schema<JournalClient> = (value, path, fail) => {
  const http = port<JournalClient>(['request'])(value, path, fail)
  origin(http.origin, `${path}.origin`, fail)
  return http
}

const RESEND = ['never', 'once'] as const

const OPTIONS = {
  store: port<Store>(['get', 'compareAndSet']),
  http: client,
  accountId: optional(string()),
  pathFamily: oneOf(['current', 'openapi'], 'current'),
  resend: oneOf(RESEND, 'never'),
  timeoutMs: integer({ min: 1, max: 600_000, default: 5000 }),
  settleMs: integer({ min: 0, max: DAY_MS, default: 30_000 }),
  retentionMs: integer({ min: 0, max: 3650 * DAY_MS, default: 7 * DAY_MS }),
  minRetentionMs: integer({ min: 0, max: 3650 * DAY_MS, default: 3_600_000 }),
  maxEntries: integer({ min: 1, max: 5000, default: 1000 }),
  maxEntryBytes: integer({ min: 16_384, max: 900_000, default: 65_536 }),
  createId: optional(func<() => string>()),
  clock,
} satisfies FieldsOf<OrderJournalOptions>

/** The options after validation. */
export type JournalSettings = InferFields<typeof OPTIONS>

export const readJournalOptions = (given: OrderJournalOptions): JournalSettings =>
  readOptions(optionFailure, given, OPTIONS)

const CALL = { accessToken: unchecked<PlaceOptions['accessToken']>(), signal }

export const readPlaceOptions = (given: PlaceOptions = {}) =>
  readOptions(optionFailure, given, {
    ...CALL,
    resend: optional(oneOf(RESEND)),
  } satisfies FieldsOf<PlaceOptions>)

export const readRecoverOptions = (given: RecoverOptions = {}) =>
  readOptions(optionFailure, given, {
    ...CALL,
    waitMs: integer({ min: 0, max: DAY_MS, default: 0 }),
  } satisfies FieldsOf<RecoverOptions>)

export const readEntryId = (given: EntryId) =>
  readOptions(optionFailure, given, {
    accountId: optional(string()),
    clientOrderId: string(),
  } satisfies FieldsOf<EntryId>)

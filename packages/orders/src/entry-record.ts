/**
 * The stored records of a journal: one for each entry, and an index with the keys of all entries, oldest
 * first.
 *
 * A record contains the body of the request, but never a token or a signature.
 */
import {
  array,
  custom,
  type InferFields,
  integer,
  type OptionFailure,
  object,
  oneOf,
  optional,
  parseJsonObject,
  readOptions,
  type Schema,
  string,
} from '@brokerwire/core/internal'
import {
  ENTRY_EVENTS,
  type EntryState,
  type OrderEntry,
  type OrderLook,
  type OutcomeSource,
} from './entry.ts'
import { recordInvalid } from './orders-error.ts'

/** The version of the format in which records are written. */
const JOURNAL_VERSION = 1

/** An item of the index. */
export interface IndexItem {
  readonly accountId: string
  readonly clientOrderId: string
  readonly preparedAtMs: number
  /** The `placement` of the entry. A later placement with the same `clientOrderId` is another item. */
  readonly placement: string
}

const instant = integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const text = custom<string>('a string', (value) => typeof value === 'string')
const OPERATIONS: readonly OrderLook['operation'][] = ['orders.get', 'orders.open', 'orders.history']
const STATES = Object.keys(ENTRY_EVENTS) as EntryState[]
const RESULTS: readonly OrderLook['result'][] = ['found', 'not-found', 'incomplete', 'failed']
const SOURCES: readonly OutcomeSource[] = ['response', 'repeated-id', ...OPERATIONS]

const ENTRY_FIELDS = {
  accountId: string(),
  clientOrderId: string(),
  state: oneOf(STATES),
  path: text,
  body: text,
  placement: string(),
  preparedAtMs: instant,
  sentAtMs: optional(instant),
  resentAtMs: optional(instant),
  lostAtMs: optional(instant),
  closedAtMs: optional(instant),
  source: optional(oneOf(SOURCES)),
  orderId: optional(text),
  orderStatus: optional(text),
  reason: optional(object({ code: text, message: optional(text) })),
  looks: array(
    object({
      atMs: instant,
      operation: oneOf(OPERATIONS),
      result: oneOf(RESULTS),
      code: optional(text),
    }),
    { expected: 'an array', default: [] },
  ),
} satisfies { readonly [Name in keyof OrderEntry]-?: Schema<unknown> }

const INDEX_ITEM = object({
  accountId: string(),
  clientOrderId: string(),
  preparedAtMs: instant,
  placement: string(),
})
const INDEX_FIELDS = {
  entries: array<IndexItem>(
    (value, path, fail) => {
      if (!Array.isArray(value)) throw fail(path, 'an array', 'another type')
      const [accountId, clientOrderId, preparedAtMs, placement] = value as readonly unknown[]
      return INDEX_ITEM({ accountId, clientOrderId, preparedAtMs, placement }, path, fail)
    },
    { expected: 'an array', default: [] },
  ),
}

/** Encodes an entry without the properties that are `undefined`. */
export const encodeEntry = (entry: OrderEntry): string => JSON.stringify({ v: JOURNAL_VERSION, ...entry })

/** Decodes a stored entry. @throws OrdersError `JOURNAL_RECORD_INVALID`. */
export const decodeEntry = (stored: string): OrderEntry => decode('entry', stored, ENTRY_FIELDS)

/** Encodes the index. Its items are arrays instead of objects, because there are many of them. */
export const encodeIndex = (items: readonly IndexItem[]): string =>
  JSON.stringify({
    v: JOURNAL_VERSION,
    entries: items.map(({ accountId, clientOrderId, preparedAtMs, placement }) => [
      accountId,
      clientOrderId,
      preparedAtMs,
      placement,
    ]),
  })

/** Decodes the stored index; without one, returns no items. @throws OrdersError `JOURNAL_RECORD_INVALID`. */
export const decodeIndex = (stored: string | undefined): readonly IndexItem[] =>
  stored === undefined ? [] : decode('index', stored, INDEX_FIELDS).entries

function decode<F extends Readonly<Record<string, Schema<unknown>>>>(
  record: 'entry' | 'index',
  stored: string,
  fields: F,
): InferFields<F> {
  const { v, ...values } = parseJsonObject(stored) ?? {}
  if (typeof v !== 'number' || !(v >= 1)) throw recordInvalid(record, 'malformed', 'v')
  if (v > JOURNAL_VERSION) throw recordInvalid(record, 'newer-format', 'v')
  // The name of an unknown field is not shown, because the name may be part of a damaged record.
  const malformed: OptionFailure = (field, _expected, received) =>
    recordInvalid(record, 'malformed', received === 'an unknown option' ? 'an unknown field' : field)
  return readOptions(malformed, values, fields)
}

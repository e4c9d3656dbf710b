/**
 * Reads stored records: a format version first, then each field by name. Errors name the field, never the text.
 *
 * An unknown field is damage: without this, a record whose `current` is misspelled would count as one
 * without a token. What a later version adds comes with a format of its own.
 */
import { Secret } from '@brokerwire/core'
import {
  type InferFields,
  type OptionFailure,
  ownOptions,
  parseJsonObject,
  readOptions,
  type Schema,
  string,
} from '@brokerwire/core/internal'
import { HEADER_SAFE } from './parse.ts'
import { TokensError } from './tokens-error.ts'

/** The present format of every record. Newer versions of this package read it; this one reads no newer format. */
export const RECORD_FORMAT = 1

/** The error for a record, or a field of it, that cannot be read. */
function recordInvalid(
  reason: 'malformed' | 'newer-format' | 'sealed',
  field: string,
): TokensError<'TOKEN_RECORD_INVALID'> {
  const messages = {
    malformed: `the stored record is damaged (${field}): renew() replaces an access token; remove the record of a client token`,
    'newer-format': 'the stored record was written by a newer version: update @brokerwire/tokens',
    sealed: 'the stored record is encrypted: open the store with createEncryptedStore and its cipher',
  }
  return new TokensError('TOKEN_RECORD_INVALID', messages[reason], { details: { reason, field } })
}

/** Unknown names are not shown, because they may be part of a damaged text. */
const malformed: OptionFailure = (field, _expected, received) =>
  recordInvalid('malformed', received === 'an unknown option' ? 'a field that no version writes' : field)

/** Milliseconds since the epoch. `1e999` is JSON too. */
export const storedInstant: Schema<number> = (value, field) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw recordInvalid('malformed', field)
}
/** A token that a header can carry. */
export const storedSecret: Schema<Secret> = (value, field, fail) => {
  const text = string()(value, field, fail)
  if (HEADER_SAFE.test(text)) return new Secret(text)
  throw recordInvalid('malformed', field)
}

/**
 * @param fields - Schemas of its fields, without its format.
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 */
export function readRecord<Table extends Readonly<Record<string, Schema<unknown>>>>(
  stored: string,
  fields: Table,
): InferFields<Table> {
  const { format, ...record } = ownOptions(parseJsonObject(stored) ?? {})
  // Of `createEncryptedStore`. Not malformed: what is malformed is replaced by the next renewal.
  if (format === 'brokerwire-sealed') throw recordInvalid('sealed', 'format')
  if (typeof format !== 'number' || !(format >= 1)) throw recordInvalid('malformed', 'format')
  if (format > RECORD_FORMAT) throw recordInvalid('newer-format', 'format')
  return readOptions(malformed, record, fields)
}

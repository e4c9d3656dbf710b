/**
 * The parser of stored records: first the format version, then each field by name. Errors name the field, never the
 * text.
 *
 * A record with an unknown field counts as malformed. Otherwise a record with a misspelled `current` would count as
 * a record without a token. Later versions that add fields use a new format version.
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

/**
 * The current format version of every record. Newer versions of this package still read this format; this
 * version rejects newer formats.
 */
export const RECORD_FORMAT = 1

/** Creates the error for a record or field that cannot be parsed. */
function recordInvalid(
  reason: 'malformed' | 'newer-format' | 'sealed',
  field: string,
): TokensError<'TOKEN_RECORD_INVALID'> {
  const messages = {
    malformed: `the stored record is damaged (${field}). For an access token call renew(), which replaces it; delete the record of a client token`,
    'newer-format': 'the stored record was written by a newer version. Update @brokerwire/tokens',
    sealed: 'the stored record is encrypted. Open the store with createEncryptedStore and its cipher',
  }
  return new TokensError('TOKEN_RECORD_INVALID', messages[reason], { details: { reason, field } })
}

/**
 * Creates the error for a field that is wrong. Unknown names are not shown, because they may be part of a
 * damaged text.
 */
const malformed: OptionFailure = (field, _expected, received) =>
  recordInvalid('malformed', received === 'an unknown option' ? 'a field that no version writes' : field)

/**
 * An instant, milliseconds since the epoch. Only finite numbers are accepted, because `1e999` is valid JSON
 * and parsed as `Infinity`.
 */
export const instantField: Schema<number> = (value, field) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw recordInvalid('malformed', field)
}
/** A token that a header can carry. */
export const secretField: Schema<Secret> = (value, field, fail) => {
  const text = string()(value, field, fail)
  if (HEADER_SAFE.test(text)) return new Secret(text)
  throw recordInvalid('malformed', field)
}

/**
 * Parses a stored record.
 *
 * @param fields - Schemas of the record's fields, without `format`.
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 */
export function parseRecord<Table extends Readonly<Record<string, Schema<unknown>>>>(
  stored: string,
  fields: Table,
): InferFields<Table> {
  const { format, ...record } = ownOptions(parseJsonObject(stored) ?? {})
  // `createEncryptedStore` wrote this record. It must not count as malformed, because the next renewal would
  // replace a malformed record.
  if (format === 'brokerwire-sealed') throw recordInvalid('sealed', 'format')
  if (typeof format !== 'number' || !(format >= 1)) throw recordInvalid('malformed', 'format')
  if (format > RECORD_FORMAT) throw recordInvalid('newer-format', 'format')
  return readOptions(malformed, record, fields)
}

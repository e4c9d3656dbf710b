/**
 * Reads stored records: a format version first, then each field by name. Errors name the field, never the text.
 *
 * An unknown field is damage: without this, a record whose `current` is misspelled would count as one
 * without a token. What a later version adds comes with a format of its own.
 */
import { Secret } from '@brokerwire/core'
import {
  type OptionFailure,
  type OptionRow,
  type OptionsRead,
  parseJsonObject,
  readOptionTable,
  textRow,
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
    malformed: `the stored record cannot be read: ${field}`,
    'newer-format': 'the stored record was written by a newer version',
    sealed: 'the stored record is encrypted, and this store has no cipher for it',
  }
  return new TokensError('TOKEN_RECORD_INVALID', messages[reason], { details: { reason, field } })
}

/** For core's tables, which have a message of their own for an unknown name: that may be part of the text and is not shown. */
const malformed: OptionFailure = (field, _expected, _received, message) =>
  recordInvalid('malformed', message === undefined ? field : 'a field that no version writes')

/** Milliseconds since the epoch. `1e999` is JSON too. */
export const timeRow: OptionRow<number> = (_fail, field, value) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw recordInvalid('malformed', field)
}
/** What no header can carry is no token. */
export const secretRow: OptionRow<Secret> = (fail, field, value) => {
  const text = textRow(fail, field, value)
  if (HEADER_SAFE.test(text)) return new Secret(text)
  throw recordInvalid('malformed', field)
}

/**
 * @param rows - The fields that it may have beside its format.
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 */
export function readRecord<Table extends Readonly<Record<string, OptionRow<unknown>>>>(
  stored: string,
  rows: Table,
): OptionsRead<Table> {
  const { format, ...record } = parseJsonObject(stored) ?? {}
  // Of `createEncryptedStore`. Not malformed: what is malformed is replaced by the next renewal.
  if (format === 'brokerwire-sealed') throw recordInvalid('sealed', 'format')
  if (typeof format !== 'number' || !(format >= 1)) throw recordInvalid('malformed', 'format')
  if (format > RECORD_FORMAT) throw recordInvalid('newer-format', 'format')
  return readOptionTable(malformed, 'options', record, rows)
}

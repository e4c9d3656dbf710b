/**
 * Reads stored records: a format version first, then each field by name. Errors name the field, never the text.
 *
 * A field that nobody writes is damage: without this, a record whose `current` is misspelled would count as one
 * without a token. What a later version adds comes with a format of its own.
 */
import { isRecord, Secret } from '@brokerwire/core'
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

/** Reads one field. @throws TokensError `TOKEN_RECORD_INVALID`. */
type Field<T> = (value: unknown, name: string) => T
/** A record's fields: no others may stand in it. */
type Fields<T> = { readonly [K in keyof T]-?: Field<T[K]> }

/** A field that passes a test. */
const valid =
  <T>(test: (value: unknown) => boolean): Field<T> =>
  (value, name) => {
    if (!test(value)) throw recordInvalid('malformed', name)
    return value as T
  }

/** A text that is not empty. */
export const text = valid<string>((value) => typeof value === 'string' && value !== '')
/** Milliseconds since the epoch. `1e999` is JSON too. */
export const time = valid<number>(Number.isFinite)
/** One of these texts. */
export const oneOf = <T extends string>(...texts: readonly T[]): Field<T> =>
  valid((value) => texts.some((text) => text === value))
/** What no header can carry is no token. */
export const secret: Field<Secret> = (value, name) => {
  if (!/^[\x21-\x7e]+$/.test(text(value, name))) throw recordInvalid('malformed', name)
  return new Secret(text(value, name))
}
/** A field that may be missing. */
export const optional =
  <T>(read: Field<T>): Field<T | undefined> =>
  (value, name) =>
    value === undefined ? undefined : read(value, name)
/** A record in a record. */
export const part =
  <T extends object>(fields: Fields<T>): Field<T> =>
  (value, name) => {
    if (!isRecord(value)) throw recordInvalid('malformed', name)
    if (Object.keys(value).some((key) => !Object.hasOwn(fields, key)))
      throw recordInvalid('malformed', 'a field that no version writes')
    const read = Object.entries<Field<unknown>>(fields).map(([key, field]) => [key, field(value[key], key)])
    return Object.fromEntries(read) as T
  }

/**
 * @param fields - The fields that it may have beside its format.
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 */
export function readRecord<T extends object>(stored: string, fields: Fields<T>): T {
  let json: unknown
  try {
    json = JSON.parse(stored)
  } catch {
    // Not kept as the cause: the host's message quotes the text.
  }
  const { format, ...record } = isRecord(json) ? json : {}
  // Of `createEncryptedStore`. Not malformed: what is malformed is replaced by the next renewal.
  if (format === 'brokerwire-sealed') throw recordInvalid('sealed', 'format')
  if (typeof format !== 'number' || !(format >= 1)) throw recordInvalid('malformed', 'format')
  if (format > RECORD_FORMAT) throw recordInvalid('newer-format', 'format')
  return part(fields)(record, 'format')
}

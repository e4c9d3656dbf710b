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
export function recordInvalid(
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

/** Fields of a record. All throw TokensError `TOKEN_RECORD_INVALID`. */
export interface RecordReader {
  text(name: string): string
  secret(name: string): Secret
  /** Milliseconds since the epoch. */
  time(name: string): number
  optional<T>(name: string, read: (name: string) => T): T | undefined
  /** @param fields - The fields that it may have. */
  part(name: string, fields: readonly string[]): RecordReader | undefined
}

function readerOf(record: Record<string, unknown>, fields: readonly string[]): RecordReader {
  if (Object.keys(record).some((name) => !fields.includes(name)))
    throw recordInvalid('malformed', 'a field that no version writes')
  const reader: RecordReader = {
    text(name) {
      const value = record[name]
      if (typeof value !== 'string' || value === '') throw recordInvalid('malformed', name)
      return value
    },
    secret(name) {
      const text = reader.text(name)
      // What no header can carry is no token.
      if (!/^[\x21-\x7e]+$/.test(text)) throw recordInvalid('malformed', name)
      return new Secret(text)
    },
    time(name) {
      const value = record[name]
      // `1e999` is JSON too.
      if (!Number.isFinite(value)) throw recordInvalid('malformed', name)
      return value as number
    },
    optional: (name, read) => (record[name] === undefined ? undefined : read(name)),
    part(name, partFields) {
      const value = record[name]
      if (value === undefined) return undefined
      if (!isRecord(value)) throw recordInvalid('malformed', name)
      return readerOf(value, partFields)
    },
  }
  return reader
}

/**
 * @param fields - The fields that it may have beside its format.
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 */
export function openRecord(text: string, fields: readonly string[]): RecordReader {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not kept as the cause: the host's message quotes the text.
  }
  const format = isRecord(json) ? json.format : undefined
  // Of `createEncryptedStore`. Not malformed: what is malformed is replaced by the next renewal.
  if (format === 'brokerwire-sealed') throw recordInvalid('sealed', 'format')
  if (!isRecord(json) || typeof format !== 'number' || !(format >= 1))
    throw recordInvalid('malformed', 'format')
  if (format > RECORD_FORMAT) throw recordInvalid('newer-format', 'format')
  return readerOf(json, ['format', ...fields])
}

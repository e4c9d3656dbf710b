/**
 * The file format of a record: file name, encoder and parser.
 *
 * The file name is a digest, so that any key is a safe name. The file contains the key, so that people can find a
 * record and a renamed file is detected.
 *
 * A record has exactly one encoding. The parser encodes the record again and compares the bytes. Any
 * difference means that the file is damaged. The digest protects the value.
 */
import { createHash } from 'node:crypto'
import { isRecord } from '@brokerwire/core/internal'
import { optionFailure } from '../stores-error.ts'
import { corrupt } from './file-error.ts'
import { MAX_FILE_BYTES } from './private-files.ts'

const FORMAT = 'brokerwire-store'
/** Version 1 had no digest. It can be read, and the next write upgrades it. */
const WITHOUT_DIGEST = 1
const VERSION = 2

/** The content of a record's file. */
export interface StoredValue {
  /** The stored text. */
  readonly value: string
  /** Whether the file has version 1, without a digest. */
  readonly isOutdated: boolean
}

/** SHA-256 over UTF-16 code units, because UTF-8 cannot encode lone surrogates. */
function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('hex')
}

/** Returns the file name of a key, without its extension: 64 hexadecimal digits. */
export function fileStem(key: string): string {
  return sha256(key)
}

function formatRecord(version: number, key: string, value: string): string {
  const digest = version === WITHOUT_DIGEST ? undefined : sha256(value)
  return `${JSON.stringify({ format: FORMAT, version, key, value, digest })}\n`
}

/**
 * Encodes a record.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID` if the file would be larger than the limit for reads.
 */
export function encodeRecord(key: string, value: string): Uint8Array {
  const tooLarge = (size: string) =>
    optionFailure('next', `a value whose file has at most ${MAX_FILE_BYTES} bytes`, size)
  // A text never has fewer bytes than code units.
  const length = key.length + value.length
  if (length > MAX_FILE_BYTES) throw tooLarge(`${length} characters with its key`)
  const bytes = Buffer.from(formatRecord(VERSION, key, value))
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(`one of ${bytes.length} bytes`)
  return bytes
}

/**
 * Returns the key in a record's file. The rest of the file is checked when its value is read.
 *
 * @throws {@link StoresError} `STORE_CORRUPT` if it is not a record, or the record of another file.
 */
export function parseRecordKey(path: string, stem: string, bytes: Uint8Array): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    throw corrupt(path, 'expected a complete record; received text that is not JSON')
  }
  if (!isRecord(parsed) || typeof parsed.key !== 'string')
    throw corrupt(path, 'expected a record of this store')
  if (fileStem(parsed.key) !== stem)
    throw corrupt(path, 'expected a record of the key that the file name states')
  return parsed.key
}

function unknownVersion(version: unknown): string {
  const known = `format version must be ${WITHOUT_DIGEST} or ${VERSION}`
  return typeof version === 'number' && version > VERSION
    ? `${known}; received ${version} of a newer @brokerwire/stores. Update it here`
    : `${known}. Restore the file, or delete it`
}

/**
 * Parses a record's file.
 *
 * @throws {@link StoresError} `STORE_CORRUPT`, without the parser's error, which would quote the text.
 */
export function decodeRecord(path: string, key: string, bytes: Uint8Array): StoredValue {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let parsed: unknown
  try {
    parsed = JSON.parse(file.toString())
  } catch {
    throw corrupt(path, 'expected a complete record; received text that is not JSON')
  }
  if (!isRecord(parsed) || parsed.format !== FORMAT || typeof parsed.value !== 'string') {
    throw corrupt(path, 'expected a record of this store')
  }
  const { version, value } = parsed
  if (version !== VERSION && version !== WITHOUT_DIGEST) throw corrupt(path, unknownVersion(version))
  if (parsed.key !== key) throw corrupt(path, 'expected a record of the key that the file name states')
  if (!file.equals(Buffer.from(formatRecord(version, key, value))))
    throw corrupt(path, 'expected an unchanged record; received one that another program changed')
  return { value, isOutdated: version !== VERSION }
}

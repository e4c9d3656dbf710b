/**
 * A record on disk: names, the bytes of the file, and back.
 *
 * The name is a digest, so that any key is a safe name on any file system; the key stands in the file, so that a
 * person can find a record, and so that a file under a wrong name is noticed.
 *
 * A record is written in one way only, so a file is read by writing what it says once more: any byte that differs
 * means that the file was damaged. What the value itself says is held by its digest.
 */
import { createHash } from 'node:crypto'
import { isRecord } from '@brokerwire/core/internal'
import { optionFailure } from '../stores-error.ts'
import { corrupt } from './file-error.ts'
import { MAX_FILE_BYTES } from './private-files.ts'

const FORMAT = 'brokerwire-store'
/** Version 1 had no digest. It is read, and written anew as the present version at the next write. */
const WITHOUT_DIGEST = 1
const VERSION = 2

/** What a record's file holds. */
export interface StoredValue {
  /** The stored text. */
  readonly value: string
  /** Written by an earlier version: without a digest. */
  readonly isOutdated: boolean
}

/** SHA-256 over the code units: UTF-8 has no form for half a surrogate pair. */
function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('hex')
}

/** The file name of a key, without its ending: 64 hexadecimal digits. */
export function fileStem(key: string): string {
  return digestOf(key)
}

function textOf(version: number, key: string, value: string): string {
  const digest = version === WITHOUT_DIGEST ? undefined : digestOf(value)
  return `${JSON.stringify({ format: FORMAT, version, key, value, digest })}\n`
}

/**
 * The bytes of a record's file.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID` where the file would be larger than one that is read.
 */
export function encodeRecord(key: string, value: string): Uint8Array {
  const tooLarge = (size: string) =>
    optionFailure('next', `a value whose file has at most ${MAX_FILE_BYTES} bytes`, size)
  // No text takes fewer bytes than it has code units.
  const length = key.length + value.length
  if (length > MAX_FILE_BYTES) throw tooLarge(`${length} characters with its key`)
  const bytes = Buffer.from(textOf(VERSION, key, value))
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(`one of ${bytes.length} bytes`)
  return bytes
}

/**
 * The key that a record's file says it is of. Whoever reads the value by it finds out whether the rest is right.
 *
 * @throws {@link StoresError} `STORE_CORRUPT` where it is none, or that of another file.
 */
export function keyOfRecord(path: string, stem: string, bytes: Uint8Array): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    throw corrupt(path, 'expected a whole record, got text that is not JSON')
  }
  if (!isRecord(parsed) || typeof parsed.key !== 'string')
    throw corrupt(path, 'expected a record of this store')
  if (fileStem(parsed.key) !== stem) throw corrupt(path, 'expected the record of another key')
  return parsed.key
}

/**
 * The value in a record's file.
 *
 * @throws {@link StoresError} `STORE_CORRUPT`, without the parser's error: that one quotes the text.
 */
export function decodeRecord(path: string, key: string, bytes: Uint8Array): StoredValue {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let parsed: unknown
  try {
    parsed = JSON.parse(file.toString())
  } catch {
    throw corrupt(path, 'expected a whole record, got text that is not JSON')
  }
  if (!isRecord(parsed) || parsed.format !== FORMAT || typeof parsed.value !== 'string') {
    throw corrupt(path, 'expected a record of this store')
  }
  const { version, value } = parsed
  if (version !== VERSION && version !== WITHOUT_DIGEST)
    throw corrupt(path, `expected a record of format version ${WITHOUT_DIGEST} or ${VERSION}`)
  if (parsed.key !== key) throw corrupt(path, 'expected the record of another key')
  if (!file.equals(Buffer.from(textOf(version, key, value))))
    throw corrupt(path, 'expected the record as it was written, got one that was changed')
  return { value, isOutdated: version !== VERSION }
}

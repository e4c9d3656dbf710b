/**
 * A record on disk: names, the text of the file, and back.
 *
 * The name is a digest, so that any key is a safe name on any file system; the key stands in the file, so that a
 * person can find a record, and so that a file under a wrong name is noticed.
 */
import { createHash } from 'node:crypto'
import { isRecord } from '@brokerwire/core'
import { corrupt } from './file-error.ts'

const FORMAT = 'brokerwire-store'
const VERSION = 1

/** The file name of a key, without its ending: 64 hexadecimal digits. */
export function fileStem(key: string): string {
  return createHash('sha256').update(key, 'utf16le').digest('hex')
}

/** The text of a record's file. */
export function encodeRecord(key: string, value: string): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, key, value })}\n`
}

/**
 * The value in a record's file.
 *
 * @throws {@link StoresError} `STORE_CORRUPT`, without the parser's error: that one quotes the text.
 */
export function decodeRecord(path: string, key: string, text: string): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw corrupt(path, 'expected a whole record, got text that is not JSON')
  }
  if (!isRecord(parsed) || parsed.format !== FORMAT || typeof parsed.value !== 'string') {
    throw corrupt(path, 'expected a record of this store')
  }
  if (parsed.version !== VERSION) throw corrupt(path, `expected a record of format version ${VERSION}`)
  if (parsed.key !== key) throw corrupt(path, 'expected the record of another key')
  return parsed.value
}

/** Reads files that a command is given, and names what was wrong with them. */
import { readFile } from 'node:fs/promises'
import { CliError } from './cli-error.ts'

/** Largest file that a command reads: 64 MiB. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/**
 * The bytes of a file.
 *
 * @throws {@link CliError} `CLI_INPUT_UNREADABLE`
 */
export async function readBytes(file: string): Promise<Uint8Array> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (error) {
    const reason = (error as { code?: unknown }).code
    throw unreadable(file, 'a file that can be read', typeof reason === 'string' ? reason : 'unknown reason')
  }
  if (bytes.length > MAX_FILE_BYTES)
    throw unreadable(file, `at most ${MAX_FILE_BYTES} bytes`, `${bytes.length}`)
  return bytes
}

/**
 * The JSON value in a file. A byte order mark is skipped.
 *
 * @throws {@link CliError} `CLI_INPUT_UNREADABLE`
 */
export async function readJson(file: string): Promise<unknown> {
  const bytes = await readBytes(file)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw unreadable(file, 'JSON in UTF-8', 'something else')
  }
}

function unreadable(file: string, expected: string, received: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return new CliError('CLI_INPUT_UNREADABLE', `${file}: expected ${expected}, got ${received}`, {
    details: { file, expected },
  })
}

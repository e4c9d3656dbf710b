/**
 * Reads input files and names them in errors. Only regular files up to a limit are read, so that a pipe
 * without a writer, an endless device or a huge file needs no time and no memory.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { stripLineEnd } from '@brokerwire/core/internal'
import { CliError, fileError, optionError } from './cli-error.ts'

/** Maximum size of a file that a command reads: 64 MiB. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024
/** Maximum size of a file that contains a secret: 64 KiB. */
const MAX_SECRET_BYTES = 64 * 1024
/** Permission bits of group and others. */
const GROUP_AND_OTHERS = 0o077

/**
 * Reads a file as bytes.
 *
 * @throws {@link CliError} `CLI_INPUT_UNREADABLE`
 */
export function readBytes(file: string, maxBytes = MAX_FILE_BYTES): Promise<Uint8Array> {
  return withFile(file, (handle, size) => readAll({ file, handle, size, maxBytes }))
}

/**
 * Reads a file as a string. Removes a byte order mark.
 *
 * @throws {@link CliError} `CLI_INPUT_UNREADABLE`
 */
export async function readText(file: string, maxBytes = MAX_FILE_BYTES): Promise<string> {
  const bytes = await readBytes(file, maxBytes)
  try {
    return utf8.decode(bytes)
  } catch {
    throw fileError(file, 'must be text in UTF-8; received other bytes')
  }
}

/**
 * Reads a JSON file. Removes a byte order mark.
 *
 * @throws {@link CliError} `CLI_INPUT_UNREADABLE`
 */
export async function readJson(file: string): Promise<unknown> {
  const bytes = await readBytes(file)
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw fileError(file, 'must be JSON in UTF-8; received other text')
  }
}

/** Returns whether only the owner can access a file. Windows has no permission bits, so its `mode` is not meaningful. */
export const isPrivateMode = (mode: number): boolean =>
  process.platform === 'win32' || (mode & GROUP_AND_OTHERS) === 0

/**
 * Reads a file that only its owner may access. Removes a byte order mark and one final line break.
 *
 * @throws {@link CliError} `CLI_INPUT_UNREADABLE`, `CLI_SECRET_EXPOSED`
 */
export async function readSecret(file: string, maxBytes = MAX_SECRET_BYTES): Promise<string> {
  const bytes = await withFile(file, (handle, size, mode) => {
    if (!isPrivateMode(mode)) {
      const message = `${file} holds a secret and must be accessible to its owner only. Run chmod 600 on it`
      throw new CliError('CLI_SECRET_EXPOSED', message, { details: { file } })
    }
    return readAll({ file, handle, size, maxBytes })
  })
  try {
    return stripLineEnd(utf8.decode(bytes))
  } catch {
    throw fileError(file, 'must be a secret in UTF-8; received other bytes')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** Without this flag, opening a pipe would block until there is a writer. Windows has no such flag. */
const NON_BLOCKING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

async function withFile<T>(
  file: string,
  read: (handle: FileHandle, size: number, mode: number) => T | Promise<T>,
): Promise<T> {
  if (/^curl\s/.test(file))
    throw optionError('<file>', 'must be a file or -; received a command line. Pass it on standard input')
  let handle: FileHandle | undefined
  try {
    handle = await open(file, NON_BLOCKING)
    const stat = await handle.stat()
    if (!stat.isFile()) {
      const kind = stat.isDirectory() ? 'a directory' : stat.isFIFO() ? 'a pipe' : 'a device'
      throw fileError(file, `must be a regular file; received ${kind}`)
    }
    return await read(handle, stat.size, stat.mode)
  } catch (error) {
    if (error instanceof CliError) throw error
    const reason = (error as { code?: unknown }).code
    throw fileError(file, `cannot be read: ${typeof reason === 'string' ? reason : 'unknown reason'}`)
  } finally {
    await handle?.close()
  }
}

/** Reads up to one byte more than the limit, because the reported size may be wrong. */
async function readAll(input: {
  readonly file: string
  readonly handle: FileHandle
  readonly size: number
  readonly maxBytes: number
}): Promise<Uint8Array> {
  const { file, handle, size, maxBytes } = input
  const tooLarge = (): CliError => fileError(file, `must be at most ${maxBytes} bytes; received more`)
  if (size > maxBytes) throw tooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const chunk = Buffer.allocUnsafeSlow(Math.max(size - length, CHUNK_BYTES))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null)
    if (bytesRead === 0) return Buffer.concat(chunks)
    length += bytesRead
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk.subarray(0, bytesRead))
  }
}

const CHUNK_BYTES = 65_536

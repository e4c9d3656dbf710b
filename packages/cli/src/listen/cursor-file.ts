/**
 * A file with the cursors of one listener, as a store for streams. The file is replaced atomically, so that
 * after a kill it has the old or the new content.
 */
import { existsSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AbortSignalLike, Store, StoreLock } from '@brokerwire/core'
import { isRecord } from '@brokerwire/core/internal'
import { isStoresError } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { CliError, fileError } from '../cli-error.ts'
import { readJson } from '../input.ts'
import { replaceFile } from '../replace-file.ts'

const FORMAT = 1
const EXPECTED_CONTENT = `must be an object with "format": ${FORMAT} and "cursors", as \`brokerwire listen --cursor\` writes it`

async function read(file: string): Promise<Readonly<Record<string, string>>> {
  if (!existsSync(file)) return {}
  const json = await readJson(file)
  if (!isRecord(json) || json.format !== FORMAT || !isRecord(json.cursors))
    throw fileError(file, EXPECTED_CONTENT)
  if (Object.values(json.cursors).some((text) => typeof text !== 'string'))
    throw fileError(file, EXPECTED_CONTENT)
  return json.cursors as Record<string, string>
}

function write(file: string, cursors: Readonly<Record<string, string>>): Promise<void> {
  return replaceFile(file, `${JSON.stringify({ format: FORMAT, cursors }, undefined, 2)}\n`)
}

/** Time until a wait for another listener is reported. */
const REPORT_WAIT_AFTER_MS = 500

/** An open and locked cursor file. */
export interface CursorFile extends AsyncDisposable {
  readonly store: Store
}

/**
 * Opens the file and locks it. Waits while another listener has locked it, because that listener would
 * overwrite newer cursors. The lock of a killed listener is released. The lock is in a directory next to the
 * file, which exists only while a listener is running.
 *
 * @param onWait - Called once if the wait takes longer than half a second.
 * @throws CliError `CLI_INPUT_UNREADABLE` if the file has other content or cannot be written; the signal's
 * reason.
 */
export async function openCursorFile(
  file: string,
  signal: AbortSignalLike,
  onWait: () => void,
): Promise<CursorFile> {
  const writeError = (code: unknown = 'unknown reason'): CliError =>
    fileError(file, `cannot be written: ${String(code)}`)
  // Validates the file before anything is printed or created.
  await read(file)
  if (!existsSync(dirname(resolve(file)))) throw writeError('ENOENT')
  const directory = `${resolve(file)}.lock`
  const timer = setTimeout(onWait, REPORT_WAIT_AFTER_MS)
  const lock = await acquireLock(directory, signal)
    .catch((error: unknown) => {
      throw isStoresError(error, 'STORE_IO') ? writeError(error.details.reason) : error
    })
    .finally(() => clearTimeout(timer))
  const end = async (): Promise<void> => {
    await lock?.release()
    // An error is ignored, because the next listener may already use the directory, or may have removed it.
    await rmdir(directory).catch(() => undefined)
  }
  try {
    await write(file, await read(file))
  } catch (error) {
    await end()
    throw error instanceof CliError ? error : writeError((error as { code?: unknown }).code)
  }
  return { store: createCursorStore(file), [Symbol.asyncDispose]: end }
}

async function acquireLock(directory: string, signal: AbortSignalLike): Promise<StoreLock | undefined> {
  for (;;) {
    try {
      return await createFileStore({ directory }).lock?.('listener', { signal })
    } catch (error) {
      // If the previous listener has just removed the directory, the loop tries again.
      const wasRemoved = isStoresError(error, 'STORE_IO') && error.details.reason === 'ENOENT'
      if (!wasRemoved || !existsSync(dirname(directory))) throw error
    }
  }
}

function createCursorStore(file: string): Store {
  let tail: Promise<unknown> = Promise.resolve()
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const result = tail.then(work)
    tail = result.catch(() => {})
    return result
  }
  return {
    get: (key) => enqueue(async () => (await read(file))[key]),
    compareAndSet: (key, expected, next) =>
      enqueue(async () => {
        const { [key]: stored, ...others } = await read(file)
        if (stored !== expected) return false
        if (stored !== next) await write(file, next === undefined ? others : { ...others, [key]: next })
        return true
      }),
  }
}

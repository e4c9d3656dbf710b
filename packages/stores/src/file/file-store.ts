/**
 * A store in a directory that several processes of one machine share.
 *
 * Each key has one file, which is replaced as a whole, so that reads need no lock. Writers use their own lock,
 * separate from `lock()`, so that `compareAndSet` works while a caller holds the lock.
 */
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '@brokerwire/core'
import { clock, type FieldsOf, filePath, readOptions } from '@brokerwire/core/internal'
import { checkKey, checkValue, readWaitSignal } from '../checks.ts'
import type { ListableStore } from '../copy-store.ts'
import { createKeyedMutex } from '../keyed-mutex.ts'
import { optionFailure } from '../stores-error.ts'
import { withStoresErrors } from './file-error.ts'
import { createLockFiles, randomToken } from './lock-file.ts'
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
} from './private-files.ts'
import { decodeRecord, encodeRecord, fileStem, parseRecordKey, type StoredValue } from './record.ts'

/** Options of {@link createFileStore}. Read once. */
export interface FileStoreOptions {
  /**
   * A directory on a local file system, for this store only. It is created with mode 0700 if it does not exist. It
   * is rejected if group or others have access, if another user owns it, or if it is a symbolic link.
   */
  readonly directory: string
  /** Source of time and timers for locks. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

const FILE_STORE_OPTIONS = { directory: filePath, clock } satisfies FieldsOf<FileStoreOptions>

/**
 * Creates a store of files (mode 0600) with `lock`. It accesses no file before its first call.
 *
 * - A value is written to a new file, flushed, and renamed over the old one. Its digest is stored with it.
 * - On Linux a lock is free at once after its holder was killed, and a live holder is never replaced. If the state of a holder is
 *   unknown, such as in another container, its lock is free after 30 seconds without a heartbeat. The holder is notified by `lost`
 *   if its heartbeat fails for 25 seconds, or if the disk does not respond for 29.
 * - There, a holder that was suspended for more than 30 seconds is notified within five seconds after it continues.
 * - A worker thread that is terminated leaves its lock to its process.
 * - Network file systems are not supported.
 *
 * Its calls reject with {@link StoresError}:
 * - `STORE_INSECURE_PERMISSIONS` if a file or the directory is not private
 * - `STORE_CORRUPT` if a file was changed by another program
 * - `STORE_IO` if the operating system rejects a call
 * - `STORE_OPTION_INVALID` if a key or value is wrong, or its file would exceed 16 MiB
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createFileStore } from '@brokerwire/stores/file'
 *
 * const store = createFileStore({ directory: './tokens' })
 * console.log(await store.get('greeting')) // undefined
 * ```
 */
export function createFileStore(given: FileStoreOptions): ListableStore {
  const { clock, ...options } = readOptions(optionFailure, given, FILE_STORE_OPTIONS)
  const directory = resolve(options.directory)
  const locks = createLockFiles(directory, clock)
  const writers = createKeyedMutex()
  const holders = createKeyedMutex()
  let swept: Promise<void> | undefined

  const prepare = async (): Promise<void> => {
    await ensurePrivateDirectory(directory)
    swept ??= locks.removeStaleLocks()
    await swept.catch((error: unknown) => {
      swept = undefined
      throw error
    })
  }

  const read = async (key: string, path: string): Promise<StoredValue | undefined> => {
    if (!(await checkPrivateDirectory(directory))) return undefined
    const file = await readPrivateFile(path)
    return file && decodeRecord(path, key, file.bytes)
  }

  const write = async (
    key: string,
    stem: string,
    expected: string | undefined,
    next: Uint8Array | undefined,
    isSame: boolean,
  ): Promise<boolean> => {
    const path = join(directory, `${stem}.json`)
    const lock = await locks.acquire(`${stem}.write`)
    try {
      const stored = await read(key, path)
      if (stored?.value !== expected) return false
      if (isSame && !stored?.isOutdated) return true
      if (next === undefined) await removePrivateFile(directory, path)
      else await replacePrivateFile(directory, path, join(directory, `${randomToken()}.tmp`), next)
      return true
    } finally {
      await lock.release()
    }
  }

  return {
    keys() {
      return withStoresErrors('keys', async () => {
        if (!(await checkPrivateDirectory(directory))) return []
        const keys: string[] = []
        for (const name of await readdir(directory)) {
          const [, stem] = /^([0-9a-f]{64})\.json$/.exec(name) ?? []
          if (stem === undefined) continue
          const path = join(directory, name)
          const file = await readPrivateFile(path)
          // `file` is `undefined` if it was deleted in between.
          if (file !== undefined) keys.push(parseRecordKey(path, stem, file.bytes))
        }
        return keys
      })
    },
    get(key) {
      return withStoresErrors('get', async () => {
        const stem = fileStem(checkKey(key))
        return (await read(key, join(directory, `${stem}.json`)))?.value
      })
    },
    compareAndSet(key, expected, next) {
      return withStoresErrors('compareAndSet', async () => {
        const stem = fileStem(checkKey(key))
        checkValue('expected', expected)
        const text = checkValue('next', next)
        const bytes = text === undefined ? undefined : encodeRecord(key, text)
        await prepare()
        const release = await writers.acquire(key)
        try {
          return await write(key, stem, expected, bytes, next === expected)
        } finally {
          release()
        }
      })
    },
    lock(key, lockOptions) {
      return withStoresErrors('lock', async () => {
        const stem = fileStem(checkKey(key))
        const signal = readWaitSignal(lockOptions)
        const release = await holders.acquire(key, signal)
        try {
          await prepare()
          const lock = await locks.acquire(`${stem}.lock`, signal)
          return {
            lost: lock.lost,
            release: () => withStoresErrors('release', () => lock.release().finally(release)),
          }
        } catch (error) {
          release()
          throw error
        }
      })
    },
  }
}

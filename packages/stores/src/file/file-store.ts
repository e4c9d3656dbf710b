/**
 * A store in a directory that several processes of one machine share.
 *
 * One file for each key, replaced as a whole, so that reading needs no lock. Writers take turns through a lock of
 * their own, apart from the one that callers take: `compareAndSet` works while the caller's lock is held.
 */
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Clock } from '@brokerwire/core'
import { clock, type FieldsOf, filePath, readOptions } from '@brokerwire/core/internal'
import { checkKey, checkValue, readWaitSignal } from '../checks.ts'
import type { ListedStore } from '../copy-store.ts'
import { createKeyedMutex } from '../keyed-mutex.ts'
import { optionFailure } from '../stores-error.ts'
import { guarded } from './file-error.ts'
import { createLockFiles, drawToken } from './lock-file.ts'
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
} from './private-files.ts'
import { decodeRecord, encodeRecord, fileStem, keyOfRecord, type StoredValue } from './record.ts'

/** Options of {@link createFileStore}. Read once. */
export interface FileStoreOptions {
  /**
   * A directory on a local file system, for this store alone. Made with mode 0700 where it is missing; refused where
   * group or others have any access to it, where another user owns it, and where it is a symbolic link.
   */
  readonly directory: string
  /** Times the waiting for locks. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

const FILE_STORE_OPTIONS = { directory: filePath, clock } satisfies FieldsOf<FileStoreOptions>

/**
 * Makes a store of files (mode 0600) with `lock`. Touches no disk before its first call.
 *
 * Its calls reject with {@link StoresError}: `STORE_INSECURE_PERMISSIONS` where a file or the directory is not private,
 * `STORE_CORRUPT` where a file is not a record as it was written, `STORE_IO` where the host refuses,
 * `STORE_OPTION_INVALID` on a wrong key or value, and on one whose file would have more than 16 MiB.
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
export function createFileStore(given: FileStoreOptions): ListedStore {
  const { clock, ...options } = readOptions(optionFailure, given, FILE_STORE_OPTIONS)
  const directory = resolve(options.directory)
  const locks = createLockFiles(directory, clock)
  const writers = createKeyedMutex()
  const holders = createKeyedMutex()
  let swept: Promise<void> | undefined

  const prepare = async (): Promise<void> => {
    await ensurePrivateDirectory(directory)
    swept ??= locks.sweep()
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
    const lock = await locks.take(`${stem}.write`)
    try {
      const stored = await read(key, path)
      if (stored?.value !== expected) return false
      if (isSame && !stored?.isOutdated) return true
      if (next === undefined) await removePrivateFile(directory, path)
      else await replacePrivateFile(directory, path, join(directory, `${drawToken()}.tmp`), next)
      return true
    } finally {
      await lock.release()
    }
  }

  return {
    keys() {
      return guarded('keys', async () => {
        if (!(await checkPrivateDirectory(directory))) return []
        const keys: string[] = []
        for (const name of await readdir(directory)) {
          const [, stem] = /^([0-9a-f]{64})\.json$/.exec(name) ?? []
          if (stem === undefined) continue
          const path = join(directory, name)
          const file = await readPrivateFile(path)
          // One that was deleted in the meantime is none.
          if (file !== undefined) keys.push(keyOfRecord(path, stem, file.bytes))
        }
        return keys
      })
    },
    get(key) {
      return guarded('get', async () => {
        const stem = fileStem(checkKey(key))
        return (await read(key, join(directory, `${stem}.json`)))?.value
      })
    },
    compareAndSet(key, expected, next) {
      return guarded('compareAndSet', async () => {
        const stem = fileStem(checkKey(key))
        checkValue('expected', expected)
        const text = checkValue('next', next)
        const bytes = text === undefined ? undefined : encodeRecord(key, text)
        await prepare()
        const exit = await writers.enter(key)
        try {
          return await write(key, stem, expected, bytes, next === expected)
        } finally {
          exit()
        }
      })
    },
    lock(key, lockOptions) {
      return guarded('lock', async () => {
        const stem = fileStem(checkKey(key))
        const signal = readWaitSignal(lockOptions)
        const exit = await holders.enter(key, signal)
        try {
          await prepare()
          const lock = await locks.take(`${stem}.lock`, signal)
          return { lost: lock.lost, release: () => guarded('release', () => lock.release().finally(exit)) }
        } catch (error) {
          exit()
          throw error
        }
      })
    },
  }
}

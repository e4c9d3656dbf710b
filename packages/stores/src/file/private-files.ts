/**
 * Files that only their owner can read, in a directory that only that owner can enter.
 *
 * What is found in another state is refused, not repaired: a token that others could read has to be thought of as
 * known to them. Windows keeps no such modes; there the directory's access list is the caller's.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { corrupt, errnoOf, unsafe } from './file-error.ts'
import { makePrivateDirectory } from './make-directory.ts'

const HAS_MODES = process.platform !== 'win32'
const OTHERS = 0o077
/** A larger file is neither written nor read: no record comes near it. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024

function checkOwner(path: string, stats: { readonly uid: number; readonly mode: number }): void {
  if (!HAS_MODES) return
  if (stats.uid !== process.geteuid?.())
    throw unsafe(path, 'expected to be owned by the user of this process')
  if ((stats.mode & OTHERS) !== 0) {
    throw unsafe(
      path,
      `expected no access for group and others, got mode ${(stats.mode & 0o777).toString(8)}`,
    )
  }
}

/** Makes the directory where it is missing, and refuses one that is not private. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  await makePrivateDirectory(path).catch((error: unknown) => {
    // Something else stands there, and the check says what.
    if (errnoOf(error) !== 'EEXIST') throw error
  })
  await checkPrivateDirectory(path)
}

/** @returns Whether the directory is there. */
export async function checkPrivateDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined) return false
  if (stats.isSymbolicLink()) throw unsafe(path, 'expected a directory, got a symbolic link')
  if (!stats.isDirectory()) throw unsafe(path, 'expected a directory')
  checkOwner(path, stats)
  return true
}

/** What a file holds, and what tells one state of it from the next. */
export interface PrivateFile {
  /** The content of the file. */
  readonly bytes: Buffer
  /** Inode and time of the last change. */
  readonly state: string
}

/** @returns `undefined` where there is no such file. */
export async function readPrivateFile(path: string): Promise<PrivateFile | undefined> {
  let handle: FileHandle
  try {
    // Not blocking: a named pipe in the place of a file must be refused, not waited for.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    if (errnoOf(error) === 'ELOOP' || errnoOf(error) === 'EMLINK') {
      throw unsafe(path, 'expected a file, got a symbolic link')
    }
    throw error
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) throw unsafe(path, 'expected a regular file')
    checkOwner(path, { uid: Number(stats.uid), mode: Number(stats.mode) })
    if (stats.size > MAX_FILE_BYTES) throw corrupt(path, `expected at most ${MAX_FILE_BYTES} bytes`)
    return { bytes: await handle.readFile(), state: `${stats.ino}-${stats.mtimeNs}` }
  } finally {
    await handle.close()
  }
}

/** Writes a file that was not there before. The handle is the caller's to close. */
export async function createPrivateFile(path: string, content: string | Uint8Array): Promise<FileHandle> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    return handle
  } catch (error) {
    await handle.close()
    await unlink(path).catch(() => undefined)
    throw error
  }
}

/** Makes names that were added, replaced or removed outlast a loss of power. Windows has no such call. */
async function syncDirectory(path: string): Promise<void> {
  if (!HAS_MODES) return
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces a file: a reader sees the old text or the new one, whenever the machine stops. */
export async function replacePrivateFile(
  directory: string,
  path: string,
  scratch: string,
  bytes: Uint8Array,
): Promise<void> {
  const handle = await createPrivateFile(scratch, bytes)
  try {
    await handle.sync().finally(() => handle.close())
    await rename(scratch, path)
  } catch (error) {
    await unlink(scratch).catch(() => undefined)
    throw error
  }
  await syncDirectory(directory)
}

/** Removes a file. */
export async function removePrivateFile(directory: string, path: string): Promise<void> {
  await unlink(path)
  await syncDirectory(directory)
}

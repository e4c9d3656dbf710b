/**
 * Files that only their owner can read, in a directory that only the owner can enter.
 *
 * Other permissions are rejected and not repaired, because a token that others could read must be considered
 * known to them. Windows has no such modes; there you are responsible for the access list of the directory.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { createPrivateDirectory } from './create-directory.ts'
import { corrupt, errorCode, insecurePermissions } from './file-error.ts'

const HAS_MODES = process.platform !== 'win32'
const OTHERS = 0o077
/** Maximum size of a file for reads and writes; records are far smaller. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024

function checkOwner(path: string, stats: { readonly uid: number; readonly mode: number }): void {
  if (!HAS_MODES) return
  if (stats.uid !== process.geteuid?.())
    throw insecurePermissions(path, 'expected the user of this process as owner')
  if ((stats.mode & OTHERS) !== 0) {
    throw insecurePermissions(
      path,
      `expected no access for group and others; received mode ${(stats.mode & 0o777).toString(8)}`,
    )
  }
}

/** Creates the directory if it does not exist, and rejects one that is not private. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  await createPrivateDirectory(path).catch((error: unknown) => {
    // The path exists and is not a directory. The check below reports this.
    if (errorCode(error) !== 'EEXIST') throw error
  })
  await checkPrivateDirectory(path)
}

/** @returns Whether the directory exists. */
export async function checkPrivateDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined) return false
  if (stats.isSymbolicLink())
    throw insecurePermissions(path, 'expected a directory; received a symbolic link')
  if (!stats.isDirectory()) throw insecurePermissions(path, 'expected a directory')
  checkOwner(path, stats)
  return true
}

/** The content of a file, and a value that changes with each change of the file. */
export interface PrivateFile {
  /** The content of the file. */
  readonly bytes: Buffer
  /** Inode and time of the last modification. */
  readonly state: string
}

/** @returns The file; `undefined` if it does not exist. */
export async function readPrivateFile(path: string): Promise<PrivateFile | undefined> {
  let handle: FileHandle
  try {
    // The file is opened non-blocking, because a named pipe at this path must be rejected without a wait for
    // its writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (errorCode(error) === 'ELOOP' || errorCode(error) === 'EMLINK') {
      throw insecurePermissions(path, 'expected a file; received a symbolic link')
    }
    throw error
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) throw insecurePermissions(path, 'expected a regular file')
    checkOwner(path, { uid: Number(stats.uid), mode: Number(stats.mode) })
    if (stats.size > MAX_FILE_BYTES) throw corrupt(path, `expected at most ${MAX_FILE_BYTES} bytes`)
    return { bytes: await handle.readFile(), state: `${stats.ino}-${stats.mtimeNs}` }
  } finally {
    await handle.close()
  }
}

/** Writes a new file. The caller closes the handle. */
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

/** Makes added, replaced and removed names survive a power failure. Windows has no such call. */
async function syncDirectory(path: string): Promise<void> {
  if (!HAS_MODES) return
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces a file atomically: a reader sees the old content or the new one, even after a power failure. */
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

/** Removes a file and makes the removal durable. */
export async function removePrivateFile(directory: string, path: string): Promise<void> {
  await unlink(path)
  await syncDirectory(directory)
}

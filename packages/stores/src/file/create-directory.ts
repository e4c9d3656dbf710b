/**
 * Creates directories one by one, with a bounded number of attempts.
 *
 * Node's `recursive` option is not used: if a file system returns ENOENT although the parent exists, as `/proc`
 * does, Node retries without end and cannot be interrupted.
 */
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errorCode } from './file-error.ts'

/**
 * Creates a directory and its missing parents with mode 0700. Existing directories keep their mode. Windows has no
 * modes.
 *
 * @param path - Relative paths are resolved against the working directory of the process.
 * @throws The system's error, with its `code` and the `path` that could not be created.
 *
 * @example
 * ```ts
 * import { createPrivateDirectory } from '@brokerwire/stores/file'
 *
 * await createPrivateDirectory('./state/tokens')
 * ```
 */
export async function createPrivateDirectory(path: string): Promise<void> {
  const missing: string[] = []
  let at = resolve(path)
  for (; !(await make(at)); at = dirname(at)) missing.push(at)
  for (const next of missing.reverse()) {
    if (!(await make(next))) throw Object.assign(new Error(`ENOENT: mkdir '${next}'`), refusal(next))
  }
}

const refusal = (path: string) => ({ code: 'ENOENT', syscall: 'mkdir', path })

/**
 * Creates one directory.
 * @param isLast - Whether this is the last attempt.
 * @returns `false` if the parent does not exist.
 */
async function make(path: string, isLast = false): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    // If the path exists, systems return different errors: EEXIST, EISDIR, EROFS, EACCES.
    if (await isDirectory(path)) return true
    const parent = dirname(path)
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error
    if (!(await isDirectory(parent))) return false
    // Another process may have created the parent in between, so there is one more attempt.
    if (isLast) throw error
    return make(path, true)
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/**
 * Makes directories one by one, each asked for a few times at most.
 *
 * Not with the host's `recursive`: where a file system answers ENOENT although the parent is there, as `/proc` does,
 * Node asks again without end, and the process cannot be told to stop.
 */
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errnoOf } from './file-error.ts'

/**
 * Makes a directory with those above it that are missing, each with mode 0700. What is there already stays as it is,
 * whatever its mode. Windows keeps no modes.
 *
 * @param path - Taken from the directory of the process where it is not absolute.
 * @throws The system's error, with its `code` and the `path` that could not be made.
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  const missing: string[] = []
  let at = resolve(path)
  for (; !(await make(at)); at = dirname(at)) missing.push(at)
  for (const next of missing.reverse()) {
    if (!(await make(next))) throw Object.assign(new Error(`ENOENT: mkdir '${next}'`), refusal(next))
  }
}

const refusal = (path: string) => ({ code: 'ENOENT', syscall: 'mkdir', path })

/**
 * @param isLast - Whether it is not asked for again where the one above it came into being meanwhile.
 * @returns `false` where the one above it is missing.
 */
async function make(path: string, isLast = false): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    // The error differs from system to system where something is there: EEXIST, EISDIR, EROFS, EACCES.
    if (await isDirectory(path)) return true
    const parent = dirname(path)
    if (errnoOf(error) !== 'ENOENT' || parent === path) throw error
    if (!(await isDirectory(parent))) return false
    // Another process may have made it in between.
    if (isLast) throw error
    return make(path, true)
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/**
 * Locks a state file for one process. A lock file next to the state file contains the process id, and is
 * removed when the state is closed. The lock file is created atomically with its content.
 *
 * Only the process that has created a claim file may remove the lock of a killed process. It checks the lock
 * again before it removes the lock. So if two processes start at the same time, neither removes the lock of
 * the other.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SimulatorError } from '../simulator-error.ts'

/** Paths of the state files that this process has locked. */
const openPaths = new Set<string>()

/**
 * @param path - Absolute path of the state file.
 * @returns A function that releases the lock.
 * @throws SimulatorError `SIMULATOR_STATE_FAILED`
 */
export function lockState(path: string): () => void {
  const file = `${path}.lock`
  if (openPaths.has(path)) throw stateFailure(path, 'must not be open in another simulator of this process')
  while (!create(path, file)) {
    const owner = readOwner(file)
    if (owner === undefined) continue
    if (owner.alive) {
      throw stateFailure(
        path,
        `must not be open in another process; it is locked by process ${owner.pid}. If that is no simulator, delete ${file}`,
      )
    }
    const claim = `${file}.claim`
    if (!create(path, claim)) {
      // A claim exists only for a short time, unless the process that created it was killed.
      if (readOwner(claim)?.alive !== false) continue
      throw stateFailure(
        path,
        `cannot be locked, because a process was killed while it removed a lock. Delete ${claim}`,
      )
    }
    // The lock is checked again, because another process may have created a new lock in the meantime.
    if (readOwner(file)?.alive === false) rmSync(file, { force: true })
    rmSync(claim, { force: true })
  }
  openPaths.add(path)
  return () => {
    openPaths.delete(path)
    rmSync(file, { force: true })
  }
}

/**
 * Creates a file that contains the id of this process, atomically.
 *
 * @returns `false` if the file already exists.
 */
function create(path: string, file: string): boolean {
  const own = `${file}.${process.pid}`
  try {
    writeFileSync(own, String(process.pid), { mode: 0o600 })
    linkSync(own, file)
    return true
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false
    throw stateFailure(path, getErrorCode(error), error)
  } finally {
    rmSync(own, { force: true })
  }
}

/**
 * Reads the process id of a lock, and checks whether that process is running.
 *
 * @returns `undefined` if the lock does not exist.
 */
function readOwner(file: string): { readonly pid: number; readonly alive: boolean } | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return { pid, alive: Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) }
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw stateFailure(file, getErrorCode(error), error)
  }
}

/**
 * Whether the owner of a lock is running. The locks of this process are in `openPaths`, so another lock with
 * the id of this process is from an earlier process that had the same id.
 */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return getErrorCode(error) === 'EPERM'
  }
}

/** Returns the error code of the operating system. */
export function getErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN'
}

/** Creates the error of a state file that cannot be used. */
export function stateFailure(
  path: string,
  reason: string,
  cause?: unknown,
): SimulatorError<'SIMULATOR_STATE_FAILED'> {
  return new SimulatorError('SIMULATOR_STATE_FAILED', `stateFile: ${path}: ${reason}`, {
    details: { path, reason },
    cause,
  })
}

/**
 * Lock of a state file for one process. A lock file next to it contains the process id, and is removed when
 * the state is closed. The lock file is created atomically with its content.
 *
 * The lock of a killed process is removed by one process at a time, which checks it again before that. If two
 * processes start at the same time, neither removes the lock of the other.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SimulatorError } from '../simulator-error.ts'

/** Paths that this process has open. */
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
      // A claim exists only for a short time, unless its process was killed.
      if (readOwner(claim)?.alive !== false) continue
      throw stateFailure(
        path,
        `cannot be locked, because a process was killed while it removed a lock. Delete ${claim}`,
      )
    }
    // Only a stale lock is removed, because another process may be creating a new one.
    if (readOwner(file)?.alive === false) rmSync(file, { force: true })
    rmSync(claim, { force: true })
  }
  openPaths.add(path)
  return () => {
    openPaths.delete(path)
    rmSync(file, { force: true })
  }
}

/** Creates a file with this process's id atomically. @returns Whether it did not exist. */
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
 * The process of a lock, and whether it is running.
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

/** Locks of this process are in `openPaths`. Another lock with the same id is from an earlier process. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return getErrorCode(error) === 'EPERM'
  }
}

/** The error code of the operating system. */
export function getErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN'
}

/** The error of a state file that cannot be used. */
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

/**
 * One process at a time for a state file: a lock file beside it names the process, and goes with it.
 *
 * The lock comes into being with its text in it, and the lock of a process that was killed is removed by one process at a
 * time, which looks again first: between two that start at once, neither takes the other's for the old one.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SimulatorError } from '../simulator-error.ts'

/** Paths that are open in this process. */
const open = new Set<string>()

/**
 * @param path - Absolute.
 * @returns Opens the lock.
 * @throws SimulatorError `SIMULATOR_STATE_FAILED`
 */
export function lockState(path: string): () => void {
  const file = `${path}.lock`
  if (open.has(path)) throw failed(path, 'another simulator in this process has it open')
  while (!create(path, file)) {
    const owner = ownerOf(file)
    if (owner === undefined) continue
    if (owner.alive) {
      throw failed(path, `process ${owner.pid} has it open; if it is no simulator, delete ${file}`)
    }
    const claim = `${file}.claim`
    if (!create(path, claim)) {
      // Whoever holds it needs no time for it, unless it was killed in it.
      if (ownerOf(claim)?.alive !== false) continue
      throw failed(path, `a process ended while it took the lock over; delete ${claim}`)
    }
    // Nothing to remove where it is gone: another process may just make its own.
    if (ownerOf(file)?.alive === false) rmSync(file, { force: true })
    rmSync(claim, { force: true })
  }
  open.add(path)
  return () => {
    open.delete(path)
    rmSync(file, { force: true })
  }
}

/** Makes a file that names this process, at once. @returns Whether there was none. */
function create(path: string, file: string): boolean {
  const own = `${file}.${process.pid}`
  try {
    writeFileSync(own, String(process.pid), { mode: 0o600 })
    linkSync(own, file)
    return true
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') return false
    throw failed(path, reasonOf(error), error)
  } finally {
    rmSync(own, { force: true })
  }
}

/** Whom a lock names, and whether that process runs. @returns `undefined` where there is no lock any more. */
function ownerOf(file: string): { readonly pid: number; readonly alive: boolean } | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return { pid, alive: Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) }
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined
    throw failed(file, reasonOf(error), error)
  }
}

/** The own id is one of an earlier process: what this one holds is in `open`. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return reasonOf(error) === 'EPERM'
  }
}

/** The system's name for what went wrong. */
export function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN'
}

/** The error of a state file that cannot be used. */
export function failed(
  path: string,
  reason: string,
  cause?: unknown,
): SimulatorError<'SIMULATOR_STATE_FAILED'> {
  return new SimulatorError('SIMULATOR_STATE_FAILED', `stateFile: ${path}: ${reason}`, {
    details: { path, reason },
    cause,
  })
}

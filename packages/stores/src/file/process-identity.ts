/**
 * The identity of the process that holds a lock, and whether it is still running.
 *
 * A process id alone is not enough, because ids are reused. Together with the start time it is unique within one
 * boot and one pid namespace (`space`). If these are not available (other systems than Linux, a holder in another
 * container), the state is `'unknown'`, and the lock relies on the holder's heartbeat.
 */
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { errorCode } from './file-error.ts'

/** Identifies a process among all that ran on this machine. */
export interface ProcessIdentity {
  /** The process id. */
  readonly pid: number
  /** Scope of `pid`: the boot and the pid namespace, or the host name. */
  readonly space: string
  /** Start time in clock ticks since boot; empty if the system does not report it. */
  readonly started: string
}

async function readOrEmpty(read: Promise<string>): Promise<string> {
  return (await read.catch(() => '')).trim()
}

/** Reads start time and state from `/proc`; `undefined` if there is no such process. */
async function readStat(
  pid: number,
): Promise<{ readonly started: string; readonly hasEnded: boolean } | undefined> {
  let text: string
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined
    throw error
  }
  // The second field is the command in parentheses and may contain anything. The fields after it are parsed.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, threads, started = ''] = [fields[0], fields[17], fields[19]]
  // A killed process remains as a zombie until its parent collects it. Its first thread may be a zombie while
  // another is still inside a system call, for example a rename. So it has ended only if this is its last thread.
  return { started, hasEnded: (state === 'Z' || state === 'X') && Number(threads) <= 1 }
}

let own: Promise<ProcessIdentity> | undefined

/** Returns the identity of this process. */
export function identifySelf(): Promise<ProcessIdentity> {
  own ??= (async () => {
    const boot = await readOrEmpty(readFile('/proc/sys/kernel/random/boot_id', 'utf8'))
    const namespace = await readOrEmpty(readlink('/proc/self/ns/pid'))
    const stat = await readStat(process.pid).catch(() => undefined)
    const isLinux = boot !== '' && namespace !== '' && stat !== undefined
    return {
      pid: process.pid,
      space: isLinux ? `${boot} ${namespace}` : `${process.platform} ${hostname()}`,
      started: isLinux ? stat.started : '',
    }
  })()
  return own
}

/** Returns whether a process is running, as far as this process can determine. */
export async function getLiveness(holder: ProcessIdentity): Promise<'alive' | 'dead' | 'unknown'> {
  const self = await identifySelf()
  if (holder.space !== self.space) return 'unknown'
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'dead'
  }
  if (holder.started === '') return 'unknown'
  const stat = await readStat(holder.pid)
  // The process ended between the two calls, or its id belongs to another process now.
  if (stat === undefined || stat.started !== holder.started) return 'dead'
  return stat.hasEnded ? 'dead' : 'alive'
}

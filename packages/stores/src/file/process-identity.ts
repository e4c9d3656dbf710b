/**
 * Who holds a lock, and whether it still lives.
 *
 * A process id alone does not say: ids come again. With the start time of the process it does, within one boot and
 * one pid namespace (`space`). Where that cannot be read (other systems than Linux, a holder in another container)
 * the answer is `'unknown'`, and the lock falls back on the holder's heartbeat.
 */
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { errnoOf } from './file-error.ts'

/** A process, told from every other that ran on this machine. */
export interface ProcessIdentity {
  /** The process id. */
  readonly pid: number
  /** Where `pid` means this process: the boot and the pid namespace, or the host's name. */
  readonly space: string
  /** Clock ticks since boot; empty where the system does not say. */
  readonly started: string
}

async function readOrEmpty(read: Promise<string>): Promise<string> {
  return (await read.catch(() => '')).trim()
}

/** What Linux tells about a process; `undefined` where there is no such process. */
async function readStat(
  pid: number,
): Promise<{ readonly started: string; readonly hasEnded: boolean } | undefined> {
  let text: string
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ESRCH') return undefined
    throw error
  }
  // The second field is the command in parentheses and may hold anything; the fields after it do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, threads, started = ''] = [fields[0], fields[17], fields[19]]
  // A killed process waits for its parent as a zombie. Its first thread is one already while another may still be
  // inside a system call, a rename for instance: it has ended once it is the only thread.
  return { started, hasEnded: (state === 'Z' || state === 'X') && Number(threads) <= 1 }
}

let own: Promise<ProcessIdentity> | undefined

/** This process. */
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

/** Whether a process lives, as far as this one can tell. */
export async function livenessOf(holder: ProcessIdentity): Promise<'alive' | 'dead' | 'unknown'> {
  const self = await identifySelf()
  if (holder.space !== self.space) return 'unknown'
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return 'dead'
  }
  if (holder.started === '') return 'unknown'
  const stat = await readStat(holder.pid)
  // Gone between the two questions, or the id belongs to another process now.
  if (stat === undefined || stat.started !== holder.started) return 'dead'
  return stat.hasEnded ? 'dead' : 'alive'
}

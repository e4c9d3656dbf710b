/**
 * A process that a test kills: `lock-worker.ts DIRECTORY ROUNDS`.
 *
 * Each round acquires the lock, prints `held`, checks with a witness file that no other live process holds it, adds one
 * to the count and releases the lock. With 0 rounds it acquires the lock and keeps it. Prints `done` at the end.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFileStore } from '../file/index.ts'

const [directory = '', rounds = '0'] = process.argv.slice(2)
const store = createFileStore({ directory })
const witness = join(directory, 'witness')

/** Whether the process that wrote the witness is running. A killed process may be a zombie, and the file may be empty. */
function isAlive(pid: number): boolean {
  if (pid === 0) return false
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    return process.platform !== 'linux' && (error as { code?: string }).code === 'ENOENT'
  }
}

function enterAlone(): void {
  try {
    writeFileSync(witness, String(process.pid), { flag: 'wx', mode: 0o600 })
  } catch {
    if (isAlive(Number(readFileSync(witness, 'utf8')))) process.stdout.write('violation\n')
    writeFileSync(witness, String(process.pid), { mode: 0o600 })
  }
}

if (rounds === '0') {
  await store.lock?.('job')
  process.stdout.write('held\n')
  setInterval(() => undefined, 60_000)
} else {
  for (let round = 0; round < Number(rounds); round += 1) {
    const lock = await store.lock?.('job')
    process.stdout.write('held\n')
    enterAlone()
    const before = await store.get('count')
    const isWritten = await store.compareAndSet('count', before, String(Number(before ?? '0') + 1))
    if (!isWritten) process.stdout.write('violation\n')
    rmSync(witness)
    await lock?.release()
  }
  process.stdout.write('done\n')
}

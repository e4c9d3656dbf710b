/** Starts a worker process from source, and hands out what it prints line by line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A running worker. */
export interface Worker {
  readonly pid: number
  readonly lines: readonly string[]
  /** Waits until it has printed `line` this many times, or ended. */
  printed(line: string, times?: number): Promise<void>
  /** Ends it with SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
  /** Waits until it has ended by itself. */
  readonly ended: Promise<unknown>
}

export function spawnWorker(...args: readonly string[]): Worker {
  const script = fileURLToPath(new URL('./lock-worker.ts', import.meta.url))
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=@brokerwire/source', '--import', 'tsx', script, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const ended = once(child, 'close').then(() => {
    for (const check of waiting) check()
  })
  if (child.stdout === null) throw new TypeError('expected a pipe')
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    for (const check of waiting) check()
  })
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    printed(line, times = 1) {
      return new Promise((resolve) => {
        const check = (): void => {
          const count = lines.filter((printed) => printed === line).length
          if (count < times && child.exitCode === null && child.signalCode === null) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

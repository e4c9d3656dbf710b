/** Starts a worker process and keeps the lines that it prints. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { bundled } from '@brokerwire/testing/child'

/** A running worker. */
export interface Worker {
  readonly pid: number
  readonly lines: readonly string[]
  /** Waits until it has printed `line` this many times, or ended. */
  printed(line: string, times?: number): Promise<void>
  /** Ends it with SIGKILL, and waits until it has ended. */
  kill(): Promise<void>
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>
}

const program = await bundled(new URL('lock-worker.ts', import.meta.url))

export function spawnWorker(...args: readonly string[]): Worker {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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

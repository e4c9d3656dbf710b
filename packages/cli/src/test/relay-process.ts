/** `brokerwire relay` as a process, and its log, which has one JSON object per line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { COMMAND } from './command.ts'

/** Time limit for machines that also run other processes. */
export const SLOW = { timeout: 60_000 }

interface Line {
  readonly level: string
  readonly event: string
  readonly app?: string
  readonly health?: string
  readonly deadline?: string
  readonly err?: {
    readonly code?: string
    readonly message: string
    readonly command?: string
    readonly configuration?: string
  }
  /** Length of an event that is too large for the sink. */
  readonly bytes?: number
  readonly maxBytes?: number
  readonly apps?: Readonly<Record<string, { readonly messages: number; readonly bytes: number }>>
}

export function startRelay(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child: ChildProcess = spawn(process.execPath, [COMMAND, 'relay', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines: Line[] = []
  const texts: string[] = []
  if (child.stdout === null || child.stderr === null) throw new Error('its output goes nowhere')
  createInterface({ input: child.stdout }).on('line', (text) => {
    texts.push(text)
    lines.push(JSON.parse(text) as Line)
  })
  createInterface({ input: child.stderr }).on('line', (text) => texts.push(text))
  const ended = once(child, 'exit')
  const said = async (event: string, count = 1): Promise<Line> => {
    await expect
      .poll(() => lines.filter((line) => line.event === event).length, SLOW)
      .toBeGreaterThanOrEqual(count)
    return lines.find((line) => line.event === event) as Line
  }
  const stop = async (signal: 'SIGTERM' | 'SIGHUP' = 'SIGTERM'): Promise<unknown> => {
    child.kill(signal)
    return ended
  }
  return { lines, texts, said, stop, ended }
}

/** A program on a real pseudo-terminal: Python has one, so no native module is needed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { needs, programOf } from '@brokerwire/testing/installed'
import { expect, onTestFinished } from 'vitest'
import { SOON } from './run.ts'

const BRIDGE = fileURLToPath(new URL('terminal.py', import.meta.url))

/** Whether tests with a terminal are skipped, and why. */
export const TERMINALS = needs('python3')

/** A terminal that a program runs on. */
export interface Terminal {
  /** All that it has shown so far, as it was sent. */
  shown(): string
  /** Types; `\u0003` is Ctrl-C. */
  type(text: string): void
  /** Waits until it shows this; colors and movements of the cursor are left out. */
  shows(what: RegExp): Promise<void>
  /** The exit status, as a shell says it. */
  readonly ended: Promise<number | null>
}

/** Runs a program; it is killed with the test. */
export function openTerminal(
  command: readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string | undefined },
): Terminal {
  const child = spawn(programOf('python3'), [BRIDGE, ...command], {
    env: { TERM: 'xterm-256color', ...options.env },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const exited = once(child, 'close')
  return {
    shown: () => shown,
    type: (text) => child.stdin.write(text),
    async shows(what) {
      await expect.poll(() => stripVTControlCharacters(shown), SOON).toMatch(what)
    },
    ended: exited.then(([status]) => status),
  }
}

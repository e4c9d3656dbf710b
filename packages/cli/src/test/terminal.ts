/** Runs a program on a pseudo-terminal with Python's pty module, so that no native module is needed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { needs, programOf } from '@brokerwire/testing/installed'
import { expect, onTestFinished } from 'vitest'
import { SOON } from './run.ts'

const BRIDGE = fileURLToPath(new URL('terminal.py', import.meta.url))

/** Whether tests with a terminal are skipped, and the reason. */
export const TERMINALS = needs('python3')

/** A terminal that runs a program. */
export interface Terminal {
  /** The raw output so far. */
  shown(): string
  /** Sends input. `\u0003` is Ctrl-C. */
  type(text: string): void
  /** Waits for this output, ignoring colors and cursor movements. */
  shows(what: RegExp): Promise<void>
  /** Exit status in the form of a shell. */
  readonly ended: Promise<number | null>
}

/** Runs a program. It is killed after the test. */
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

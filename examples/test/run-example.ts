/** Runs an example as a user would: in its own process, with the variables that `brokerwire simulate` prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { folderOfTheRun } from '@brokerwire/testing/template-folder'
import { onTestFinished } from 'vitest'
import { bundlePrograms, EXAMPLES } from './bundle-programs.ts'

const bundled = await folderOfTheRun('examples')
await bundlePrograms(bundled)

/** A running example. */
export interface RunningExample {
  /** Printed lines, including errors. */
  readonly lines: readonly string[]
  /** Waits for a matching line. Rejects if the process ends without one. */
  line(pattern: RegExp): Promise<RegExpMatchArray>
  /** Writes this text to standard input and closes it. */
  input(text: string): void
  /** Sends SIGTERM, as a process manager does. */
  stop(): void
  /** Sends SIGKILL. */
  kill(): void
  /** Exit status of the process. */
  readonly ended: Promise<number | null>
}

/** Path of a new directory, inside one that is removed after the test. */
export async function freshDirectory(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'brokerwire-examples-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'store')
}

/**
 * Starts `file`, relative to the folder of the examples. It is stopped after the test.
 *
 * @param sourceFlags - Flags of Node to run the source. By default the bundle runs.
 * @param args - Arguments of the program.
 */
export function runExample(
  file: string,
  env: Readonly<Record<string, string>>,
  sourceFlags?: readonly string[],
  args: readonly string[] = [],
): RunningExample {
  const program = sourceFlags
    ? [...sourceFlags, join(EXAMPLES, file)]
    : [join(bundled, file.replace(/ts$/, 'mjs'))]
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: EXAMPLES,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: 'pipe',
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines: string[] = []
  const listeners = new Set<() => void>()
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      lines.push(line)
      changed()
    })
  }
  let isEnded = false
  const ended = once(child, 'close').then(([status]) => {
    isEnded = true
    changed()
    return status as number | null
  })
  return {
    lines,
    ended,
    input: (text) => {
      child.stdin.end(text)
    },
    stop: () => {
      child.kill('SIGTERM')
    },
    kill: () => {
      child.kill('SIGKILL')
    },
    line(pattern) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.map((line) => line.match(pattern)).find((match) => match !== null)
          if (found === undefined && !isEnded) return
          listeners.delete(look)
          if (found) resolve(found)
          else reject(new Error(`it ended without a line like ${pattern}:\n${lines.join('\n')}`))
        }
        listeners.add(look)
        look()
      })
    },
  }
}

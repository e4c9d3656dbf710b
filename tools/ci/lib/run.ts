/** Starts other programs. */
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { ROOT } from './workspace.ts'

/** The result of a program that has ended. */
export interface RunResult {
  readonly status: number
  /** Standard output and standard error, in the order received. */
  readonly output: string
  /** Standard output alone. */
  readonly stdout: string
}

/** Options of {@link run}. */
export interface RunOptions {
  /** @defaultValue the repository's root */
  readonly cwd?: string
  /**
   * Whether a shell executes `command`.
   * @defaultValue false
   */
  readonly shell?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs a program. The folder with the binaries of the workspace comes first in the program's `PATH`. A
 * non-zero exit status is not an error.
 */
export function run(
  command: string,
  args: readonly string[],
  { cwd = ROOT, shell = false, env = {} }: RunOptions = {},
): Promise<RunResult> {
  const binaries = [join(ROOT, 'node_modules/.bin'), join(ROOT, 'tools/node_modules/.bin')]
  const path = [...binaries, process.env.PATH ?? ''].join(delimiter)
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      shell,
      env: { ...process.env, PATH: path, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ status: code ?? 1, output, stdout }))
  })
}

/**
 * Runs a program that must succeed.
 *
 * @throws An error with the program's output.
 */
export async function runOrThrow(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { status, output, stdout } = await run(command, args, options)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${output}`)
  return stdout
}

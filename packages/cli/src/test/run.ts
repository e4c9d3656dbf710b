/** Runs a command line inside the test's process and keeps what it printed. */
import { runCli } from '../cli.ts'

/** What a command did. */
export interface Run {
  readonly status: number
  readonly out: readonly string[]
  readonly err: readonly string[]
}

/** Runs `args` with this environment, without colors. */
export async function run(
  args: readonly string[],
  options: { readonly env?: Record<string, string | undefined>; readonly signal?: AbortSignal } = {},
): Promise<Run> {
  const out: string[] = []
  const err: string[] = []
  const status = await runCli(args, {
    out: (line) => out.push(...line.split('\n')),
    err: (line) => err.push(...line.split('\n')),
    env: options.env ?? {},
    color: false,
    signal: options.signal ?? new AbortController().signal,
  })
  return { status, out, err }
}

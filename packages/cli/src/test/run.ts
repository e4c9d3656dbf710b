/** Runs a command line inside the test's process and keeps what it printed. */
import { Readable } from 'node:stream'
import { runCli } from '../cli.ts'

/** What a command did. */
export interface Run {
  readonly status: number
  readonly out: readonly string[]
  readonly err: readonly string[]
}

/** What a command is run with. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
  readonly input?: string | AsyncIterable<Uint8Array>
  /** Whether standard output is a terminal. */
  readonly isOutTerminal?: boolean
}

/** Runs `args` with this environment, without colors. */
export const run = (args: readonly string[], options: RunOptions = {}): Promise<Run> =>
  runInBackground(args, options).done

/** The same, with what it has printed so far. */
export function runInBackground(
  args: readonly string[],
  options: RunOptions = {},
): { readonly out: readonly string[]; readonly err: readonly string[]; readonly done: Promise<Run> } {
  const out: string[] = []
  const err: string[] = []
  return { out, err, done: perform(args, options, out, err) }
}

async function perform(
  args: readonly string[],
  options: RunOptions,
  out: string[],
  err: string[],
): Promise<Run> {
  const status = await runCli(args, {
    out: (line) => out.push(...line.split('\n')),
    err: (line) => err.push(...line.split('\n')),
    env: options.env ?? {},
    color: false,
    isOutTerminal: options.isOutTerminal,
    input: inputOf(options.input),
    signal: options.signal ?? new AbortController().signal,
  })
  return { status, out, err }
}

/** For `expect.poll`: the first run of a command loads it, on a busy machine for seconds. */
export const SOON = { timeout: 15_000 }

function inputOf(
  input: string | AsyncIterable<Uint8Array> | undefined,
): AsyncIterable<Uint8Array> | undefined {
  return typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input
}

/** Runs a command line in the test's process and records its output. */
import { Readable } from 'node:stream'
import { runCli } from '../cli.ts'
import type { Prompt } from '../io.ts'

/** Result of a command. */
export interface Run {
  readonly status: number
  readonly out: readonly string[]
  readonly err: readonly string[]
}

/** Options of a run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
  readonly input?: string | AsyncIterable<Uint8Array>
  /** Whether standard output is a terminal. */
  readonly isOutTerminal?: boolean
  /** Answers a question for confirmation, as on a terminal. */
  readonly confirm?: (question: string) => boolean
}

/** Runs `args` with this environment, without colors. */
export const run = (args: readonly string[], options: RunOptions = {}): Promise<Run> =>
  runInBackground(args, options).done

/** Runs `args` in the background. Returns the output so far. */
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
    prompt: promptOf(options.confirm),
    signal: options.signal ?? new AbortController().signal,
  })
  return { status, out, err }
}

/**
 * Time limit of `expect.poll`. The first run of a command loads it, which takes seconds on a busy machine.
 */
export const SOON = { timeout: 15_000 }

function promptOf(confirm: RunOptions['confirm']): Prompt | undefined {
  if (confirm === undefined) return undefined
  return {
    secret: () => Promise.reject(new Error('this test has no secret')),
    confirm: async (question) => confirm(question),
  }
}

function inputOf(
  input: string | AsyncIterable<Uint8Array> | undefined,
): AsyncIterable<Uint8Array> | undefined {
  return typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input
}

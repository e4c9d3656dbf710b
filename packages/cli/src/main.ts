/**
 * The process: its streams, environment, signals and exit status. All other code uses an {@link Io}. The
 * first Ctrl-C stops the command, and the second ends the process immediately. If only the version is
 * printed, the commands are not loaded.
 */
import { fstatSync } from 'node:fs'
import { EXIT, getStopStatus } from './exit-status.ts'
import type { Io } from './io.ts'
import { shouldUseColors } from './should-use-colors.ts'
import { readVersion } from './version.ts'

/** Runs the command line of this process and sets its exit status. */
export async function main(argv: readonly string[]): Promise<void> {
  const args = argv.slice(2)
  const stop = new AbortController()
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      io.progress?.(undefined)
      process.exit(getStopStatus(signal))
    }
    stop.abort(signal)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  process.on('SIGHUP', onSignal)
  let isOutputLost = false
  const guard = (output: NodeJS.WriteStream, name: string): void => {
    output.on('error', (error: NodeJS.ErrnoException) => {
      // A closed pipe (`| head`) stops the command. A full disk is a failure.
      if (error.code !== 'EPIPE' && !isOutputLost) {
        isOutputLost = true
        // The exit status is also set here, because the command may have ended already.
        process.exitCode = EXIT.output
        io.err(`cannot write to ${name}: ${error.code ?? error.name}`)
      }
      stop.abort('output')
    })
  }

  const io = processIo(stop)
  guard(process.stdout, 'standard output')
  guard(process.stderr, 'standard error')
  let status = EXIT.defect
  try {
    if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
      io.out(readVersion())
      status = EXIT.done
    } else {
      const { runCli } = await import('./cli.ts')
      status = await runCli(args, io)
    }
  } finally {
    process.exitCode = isOutputLost ? EXIT.output : status
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    process.off('SIGHUP', onSignal)
  }
}

/**
 * Whether standard input can be read. It is checked because for a directory or an unreadable disk, Node's
 * standard input is empty and reports no error.
 *
 * `bigint` keeps the result out of the array that Node's `realpathSync` reads next. With a pipe in that array, Node 20 loads modules
 * from the path of a link, and does not find their dependencies.
 */
function isReadable(): boolean {
  try {
    const stat = fstatSync(0, { bigint: true })
    return stat.isFile() || stat.isFIFO() || stat.isSocket() || stat.isCharacterDevice()
  } catch {
    return true
  }
}

const unreadable: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject({ code: 'EISDIR' }) }),
}

/** Moves the cursor to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001b[2K'

function processIo(stop: AbortController): Io {
  const { stdin, stdout, stderr, env } = process
  let shown = false
  const progress = (text: string | undefined): void => {
    if (text === undefined && !shown) return
    shown = text !== undefined
    const maxCharacters = Math.max(20, (stderr.columns || 80) - 1)
    stderr.write(`${CLEAR_LINE}${text?.slice(0, maxCharacters) ?? ''}`)
  }
  const load = () => import('./prompt.ts')
  return {
    out: (line) => stdout.write(`${line}\n`),
    err: (line) => stderr.write(`${line}\n`),
    env,
    isOutTerminal: stdout.isTTY === true,
    color: shouldUseColors(stdout.isTTY === true, env),
    signal: stop.signal,
    progress: stderr.isTTY ? progress : undefined,
    prompt:
      stdin.isTTY && stderr.isTTY
        ? {
            secret: async (question) => (await load()).askSecret(question, stop),
            confirm: async (question) => (await load()).askToConfirm(question, stop),
          }
        : undefined,
    input: stdin.isTTY ? undefined : isReadable() ? stdin : unreadable,
  }
}

/**
 * The process around the commands: streams, signals and exit status. Everything else takes an {@link Io}.
 *
 * The first Ctrl-C asks the command to stop, the second ends the process at once.
 */
import pc from 'picocolors'
import { runCli } from './cli.ts'
import { EXIT } from './exit-status.ts'
import type { Io } from './io.ts'

/** Runs the command line of this process and sets its exit status. */
export async function main(argv: readonly string[]): Promise<void> {
  const stop = new AbortController()
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    stop.abort(signal)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  let isOutputLost = false
  const guard = (output: NodeJS.WriteStream, name: string): void => {
    output.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that has left (`| head`) is a request to stop, not a failure. A full disk is one.
      if (error.code !== 'EPIPE' && !isOutputLost) {
        isOutputLost = true
        // Here, too, because the command may have ended by now.
        process.exitCode = EXIT.output
        io.err(`cannot write to ${name}: ${error.code ?? error.name}`)
      }
      stop.abort('output')
    })
  }

  const io: Io = {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    env: process.env,
    color: pc.isColorSupported,
    signal: stop.signal,
  }
  guard(process.stdout, 'standard output')
  guard(process.stderr, 'standard error')
  let status: number = EXIT.defect
  try {
    status = await runCli(argv.slice(2), io)
  } finally {
    process.exitCode = isOutputLost ? EXIT.output : status
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

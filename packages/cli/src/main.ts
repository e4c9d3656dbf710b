/**
 * The process around the commands: streams, signals and exit status. Everything else takes an {@link Io}.
 *
 * The first Ctrl-C asks the command to stop, the second ends the process at once.
 */
import pc from 'picocolors'
import { runCli } from './cli.ts'
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
  // A reader that has left (`| head`) is a request to stop, not a crash.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    stop.abort('SIGPIPE')
  })

  const io: Io = {
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    env: process.env,
    color: pc.isColorSupported,
    signal: stop.signal,
  }
  try {
    process.exitCode = await runCli(argv.slice(2), io)
  } catch (error) {
    // Only a defect of this program comes here: commands turn what they expect into a line and a status.
    const name = error instanceof Error ? error.name : typeof error
    io.err(pc.createColors(io.color).red(`unexpected ${name}`))
    if (error instanceof Error && error.stack !== undefined) io.err(error.stack)
    process.exitCode = 70
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

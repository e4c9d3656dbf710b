/** The command line as a function of arguments and {@link Io}, returning the exit status. */
import { isBrokerwireError } from '@brokerwire/core'
import { type Command, CommanderError } from 'commander'
import { loadCommands } from './commands/load-commands.ts'
import { EXIT, getExitStatus, getStopStatus } from './exit-status.ts'
import { formatError } from './format-error.ts'
import type { Run } from './frame/definition.ts'
import { createProgram, showHelp } from './frame/program.ts'
import { usageMessage } from './frame/usage-message.ts'
import { guardIo } from './guarded-io.ts'
import type { GuardedIo, Io } from './io.ts'
import { isStopError } from './stop-error.ts'
import { readVersion } from './version.ts'

/** Runs one command line, without the program's name. */
export async function runCli(args: readonly string[], host: Io): Promise<number> {
  const io = guardIo(host)
  let status = EXIT.done
  const configure = (command: Command): void => {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => io.out(text.trimEnd()),
        writeErr: (text) => printErrorLines(text.trimEnd(), io),
        // The message is printed as one line, because it quotes an argument, which may contain line breaks.
        outputError: (text) => io.err(usageMessage(text.trimEnd())),
      })
      .showHelpAfterError('(--help shows the options)')
  }
  try {
    const commands = await loadCommands(args)
    const program = createProgram(commands, readVersion(), configure, async (definition, given, flags) => {
      const { run } = await definition.load()
      const color = flags.color === 'always' || (flags.color !== 'never' && io.color)
      // The type of the flags follows from the command's options.
      status = await (run as Run<unknown>)({
        args: given,
        flags,
        io: { ...io, color },
        commands,
        showHelp: (words) => showHelp(program, words),
      })
    })
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    return reportError(error, io)
  } finally {
    io.progress?.(undefined)
  }
}

function reportError(error: unknown, io: GuardedIo): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  // An error that is caused by stopping the command is not printed.
  if (io.signal.aborted && isStopError(error, io.signal)) return getStopStatus(io.signal.reason)
  if (isBrokerwireError(error)) {
    const shown = formatError(error)
    for (const line of shown.lines) io.err(line)
    return getExitStatus(shown.error)
  }
  // Only defects of this program reach this line, because commands handle expected errors.
  io.err(`unexpected ${error instanceof Error ? error.name : typeof error}`)
  if (error instanceof Error && error.stack !== undefined) printErrorLines(error.stack, io)
  return EXIT.defect
}

function printErrorLines(text: string, io: GuardedIo): void {
  for (const line of text.split('\n')) io.err(line)
}

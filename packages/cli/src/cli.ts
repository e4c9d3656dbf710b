/** The command line as a function of arguments and {@link Io}, returning the exit status. */
import { isBrokerwireError } from '@brokerwire/core'
import { Command, CommanderError } from 'commander'
import type { AddCommand } from './add-command.ts'
import { addDemo } from './commands/demo.ts'
import { addListen } from './commands/listen.ts'
import { addSign } from './commands/sign.ts'
import { addSimulate } from './commands/simulate.ts'
import { addVectors } from './commands/vectors.ts'
import { EXIT, statusOf } from './exit-status.ts'
import { guardIo } from './guarded-io.ts'
import type { GuardedIo, Io } from './io.ts'
import { readVersion } from './version.ts'

const COMMANDS: readonly AddCommand[] = [addDemo, addSimulate, addListen, addSign, addVectors]

/** Runs one command line, without the program's name. */
export async function runCli(args: readonly string[], host: Io): Promise<number> {
  const io = guardIo(host)
  let status: number = EXIT.done
  const program = new Command('brokerwire')
    .description('Signatures, tokens and event streams of a brokerage open API, from the command line.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => tellLines(text.trimEnd(), io),
      // One line: what it quotes is an argument, and may hold line breaks of its own.
      outputError: (text) => io.err(text.trimEnd().replace(SUGGESTION, ' $1')),
    })
    .showHelpAfterError('(--help shows the options)')
  for (const add of COMMANDS) {
    add(program, io, (result) => {
      status = result
    })
  }
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (isBrokerwireError(error)) {
      io.err(`${error.code}: ${error.message}`)
      return statusOf(error)
    }
    // Only a defect of this program comes here: commands turn what they expect into a line and a status.
    io.err(`unexpected ${error instanceof Error ? error.name : typeof error}`)
    if (error instanceof Error && error.stack !== undefined) tellLines(error.stack, io)
    return EXIT.defect
  }
  return status
}

/** Commander's own second line. */
const SUGGESTION = /\n(\(Did you mean [^\n]*\))$/

function tellLines(text: string, io: GuardedIo): void {
  for (const line of text.split('\n')) io.err(line)
}

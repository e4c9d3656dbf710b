/** Loads the commands that a command line may use. */
import { wrongName } from '@brokerwire/core/internal'
import { optionFailure } from '../cli-error.ts'
import { parseWords } from '../completion/complete.ts'
import type { CommandDefinition } from '../frame/definition.ts'
import { api } from './api.ts'
import { COMMANDS } from './index.ts'

/**
 * Returns all commands. Those of `api` are made from the table of operations, which is loaded only if a word of the line is `api`.
 *
 * @throws CliError `CLI_OPTION_INVALID` if the line names an unknown operation.
 */
export async function loadCommands(words: readonly string[]): Promise<readonly CommandDefinition[]> {
  if (!words.includes(api.name)) return COMMANDS
  const { operationCommands, ROWS } = await import('../api/commands.ts')
  const commands = [...COMMANDS, ...operationCommands]
  const { name, positionals } = parseWords(words, commands)
  const [operation] = positionals
  if (name !== api.name || operation === undefined) return commands
  throw wrongName(
    optionFailure,
    '<operation>',
    operation,
    ROWS.map((row) => row.name),
  )
}

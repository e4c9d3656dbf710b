/** The commander program, created from the definitions. */
import { wrongName } from '@brokerwire/core/internal'
import { Argument, Command, Option } from 'commander'
import { optionError, optionFailure } from '../cli-error.ts'
import type { ReadFlag } from '../number-option.ts'
import {
  type ArgumentDefinition,
  type CommandDefinition,
  GLOBAL_OPTIONS,
  GROUPS,
  isAllowedFor,
  type OptionDefinition,
} from './definition.ts'

/** Called with the command to run, at most once per program. */
export type RunCommand = (
  definition: CommandDefinition,
  args: readonly (string | readonly string[] | undefined)[],
  flags: Readonly<Record<string, unknown>>,
) => Promise<void>

/** Name and description of the program. */
export const PROGRAM = {
  name: 'brokerwire',
  summary: 'Signatures, tokens and event streams of a brokerage open API, from the command line',
}

/** Creates a parser for a choice. */
function parseChoice(choices: readonly string[]): ReadFlag<string> {
  return (text, flag) => {
    if (choices.includes(text)) return text
    throw wrongName(optionFailure, flag, text, choices)
  }
}

function createOption(definition: OptionDefinition): Option {
  const { flags, help, choices, defaultValue, parse, repeats } = definition
  const option = new Option(flags, help)
  if (choices !== undefined) option.choices(choices)
  // Replaces commander's own message about an invalid choice, so that all messages have the same grammar.
  const read = parse ?? (choices && parseChoice(choices)) ?? ((text: string): unknown => text)
  const flag = option.long ?? flags
  if (repeats === true)
    option.argParser((text: string, before: readonly unknown[] | undefined) => [
      ...(before ?? []),
      read(text, flag),
    ])
  else if (option.required) option.argParser((text: string) => read(text, flag))
  if (defaultValue !== undefined) option.default(defaultValue)
  return option
}

function createArgument({ name, help, choices }: ArgumentDefinition): Argument {
  const argument = new Argument(name, help)
  if (choices === undefined) return argument
  const read = parseChoice(choices)
  return argument.choices(choices).argParser((text: string) => read(text, name))
}

/**
 * Rejects options that do not apply to the first argument.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
function rejectMisplacedOptions(
  command: Command,
  options: readonly OptionDefinition[],
  first: string | undefined,
): void {
  for (const definition of options) {
    const { of } = definition
    if (of === undefined || isAllowedFor(definition, first)) continue
    const option = command.options.find(({ flags }) => flags === definition.flags)
    if (option === undefined || command.getOptionValueSource(option.attributeName()) !== 'cli') continue
    throw optionError(
      option.long ?? option.flags,
      `must be used only with ${of.join(' or ')}; received ${first}`,
    )
  }
}

const FIRST_GROUP = 'Start:'
/** Headings of commands in the help of the program. Other commands are under {@link FIRST_GROUP}. */
const HELP_GROUPS: readonly (readonly [heading: string, commands: readonly string[]])[] = [
  ['Tokens:', ['token', 'client-token']],
  ['Events:', ['listen', 'relay', 'decode', 'record', 'replay']],
  ['Signatures:', ['sign', 'explain', 'compare', 'verify', 'vectors']],
  ['Local service:', ['simulate']],
]

const DEFAULT_COLUMNS = 80

/**
 * Returns the end of a command's help: paragraphs that are wrapped to the width of the terminal, and examples
 * that are not.
 */
function helpFooter(command: Command, { details = [], examples }: CommandDefinition): string {
  const columns = command.configureOutput().getOutHelpWidth?.() ?? DEFAULT_COLUMNS
  const help = command.createHelp()
  const paragraphs = details.flatMap((paragraph) => [help.boxWrap(paragraph, columns), ''])
  const lines = examples.flatMap(({ does, line }) => [`  # ${does}`, `  ${line}`])
  return ['', ...paragraphs, 'Examples:', ...lines].join('\n')
}

/** Creates the program. */
export function createProgram(
  definitions: readonly CommandDefinition[],
  version: string,
  configure: (command: Command) => void,
  runCommand: RunCommand,
): Command {
  const program = new Command(PROGRAM.name).description(`${PROGRAM.summary}.`).version(version)
  // The configuration is set before the commands are added, because they inherit it.
  program.configureHelp({ showGlobalOptions: true }).commandsGroup(FIRST_GROUP).helpCommand(false)
  configure(program)
  for (const option of GLOBAL_OPTIONS) program.addOption(createOption(option))
  const groups = new Map<string, Command>()
  const getParent = (name: string): Command => {
    const [group, rest] = name.split(' ', 2)
    if (rest === undefined || group === undefined) return program
    const known =
      groups.get(group) ??
      // A command may also be a group.
      program.commands.find((command) => command.name() === group) ??
      program.command(group).description(GROUPS[group] ?? '')
    groups.set(group, known)
    return known
  }
  for (const definition of definitions) {
    const { name, summary, args = [], options = [], hidden = false } = definition
    const command = getParent(name)
      .command(name.split(' ').at(-1) ?? name, { hidden })
      .description(summary)
    for (const argument of args) command.addArgument(createArgument(argument))
    for (const option of options) command.addOption(createOption(option))
    command.addHelpText('after', () => helpFooter(command, definition))
    command.action(async () => {
      const given = command.processedArgs as (string | undefined)[]
      rejectMisplacedOptions(command, options, given[0])
      await runCommand(definition, given, command.optsWithGlobals())
    })
  }
  for (const command of program.commands) {
    const group = HELP_GROUPS.find(([, names]) => names.includes(command.name()))
    if (group !== undefined) command.helpGroup(group[0])
  }
  program.addHelpText(
    'after',
    '\nTry it without keys:\n  brokerwire demo\n\nRun `brokerwire COMMAND --help` for options and examples.',
  )
  return program
}

/** Prints the help of a command by the words of its name. Returns whether there is such a command. */
export function showHelp(program: Command, words: readonly string[]): boolean {
  let found: Command | undefined = program
  for (const word of words) found = found?.commands.find((command) => command.name() === word)
  found?.outputHelp()
  return found !== undefined
}

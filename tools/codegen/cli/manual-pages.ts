/**
 * Manual pages, generated from the definitions: one of the program, and one of each command with its
 * subcommands.
 */
import { COMMANDS } from '../../../packages/cli/src/commands/index.ts'
import { EXIT_STATUSES } from '../../../packages/cli/src/exit-status.ts'
import {
  type CommandDefinition,
  GLOBAL_OPTIONS,
  GROUPS,
  type OptionDefinition,
} from '../../../packages/cli/src/frame/definition.ts'
import { PROGRAM } from '../../../packages/cli/src/frame/program.ts'
import { getSetting, SETTING_NAMES } from '../../../packages/cli/src/settings/settings.ts'

/** Text escaped for roff, with code in bold. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', '\\(cq')
    .replaceAll("'", '\\(aq')
    .replace(/`([^`]*)`/g, '\\fB$1\\fR')
    .replace(/^\./gm, '\\&.')
}

/** A quoted argument of a roff request. */
const quoted = (text: string): string => `"${roff(text).replaceAll('"', '\\(dq')}"`
const bold = (text: string): string => `\\fB${roff(text)}\\fR`
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** The description of an option: its help, its values, its default. */
export function optionNotes({ help, choices, defaultValue, repeats }: OptionDefinition): string {
  const notes = [help]
  if (choices !== undefined) notes.push(`one of ${choices.join(', ')}`)
  if (defaultValue !== undefined) notes.push(`default: ${defaultValue}`)
  if (repeats) notes.push('can be repeated')
  return notes.join('; ')
}

function optionLines(option: OptionDefinition): readonly string[] {
  const [flag = '', ...value] = option.flags.split(' ')
  const placeholder = value.length === 0 ? '' : ` \\fI${roff(value.join(' '))}\\fR`
  return ['.TP', `${bold(flag)}${placeholder}`, roff(sentence(optionNotes(option)))]
}

function usage({ name, options = [], args = [] }: CommandDefinition): string {
  const parts = options.length === 0 ? [] : ['[options]']
  const rest = [...parts, ...args.map((one) => one.name)].map((part) => `\\fI${roff(part)}\\fR`)
  return [bold(`${PROGRAM.name} ${name}`), ...rest].join(' ')
}

/** Options, arguments and examples, each under a heading. */
function bodyOf({ details = [], args = [], options = [], examples }: CommandDefinition): readonly string[] {
  return [
    ...details.flatMap((paragraph) => ['.PP', roff(paragraph)]),
    ...args.flatMap(({ name, help, choices }) => [
      '.TP',
      `\\fI${roff(name)}\\fR`,
      roff(sentence(choices === undefined ? help : `${help}: ${choices.join(', ')}`)),
    ]),
    ...options.flatMap(optionLines),
    ...examples.flatMap(({ does, line }) => [
      '.PP',
      roff(sentence(does)),
      '.PP',
      '.RS 4',
      '.nf',
      roff(line),
      '.fi',
      '.RE',
    ]),
  ]
}

function page(title: string, does: string, sections: readonly string[]): string {
  return `${[
    `.TH ${quoted(title.toUpperCase())} 1 "" ${quoted(PROGRAM.name)} ${quoted(`${PROGRAM.name} manual`)}`,
    '.SH NAME',
    `${roff(title)} \\- ${roff(does)}`,
    ...sections,
  ].join('\n')}\n`
}

const exitStatuses = (): readonly string[] => [
  '.SH EXIT STATUS',
  ...EXIT_STATUSES.flatMap(({ status, meaning }) => ['.TP', `\\fB${status}\\fR`, roff(meaning)]),
]

function commandPage(title: string, summary: string, commands: readonly CommandDefinition[]): string {
  const [first] = commands
  const isAlone = commands.length === 1 && first !== undefined
  return page(title, summary, [
    '.SH SYNOPSIS',
    ...commands.flatMap((command, index) => [...(index === 0 ? [] : ['.br']), usage(command)]),
    '.SH DESCRIPTION',
    ...(isAlone
      ? [roff(sentence(first.summary)), ...bodyOf(first)]
      : commands.flatMap((command) => [
          `.SS ${quoted(`${PROGRAM.name} ${command.name}`)}`,
          roff(sentence(command.summary)),
          ...bodyOf(command),
        ])),
    '.PP',
    `Options of every command, settings and exit statuses are in ${bold(PROGRAM.name)}(1).`,
    '.SH SEE ALSO',
    `${bold(PROGRAM.name)}(1)`,
  ])
}

function programPage(pages: ReadonlyMap<string, string>): string {
  const settings = SETTING_NAMES.map(getSetting)
  return page(PROGRAM.name, PROGRAM.summary, [
    '.SH SYNOPSIS',
    `${bold(PROGRAM.name)} \\fIcommand\\fR \\fI[options]\\fR`,
    '.SH COMMANDS',
    ...[...pages].flatMap(([name, summary]) => [
      '.TP',
      `${bold(`${PROGRAM.name}-${name}`)}(1)`,
      roff(sentence(summary)),
    ]),
    '.SH OPTIONS',
    ...GLOBAL_OPTIONS.flatMap(optionLines),
    '.SH ENVIRONMENT',
    'Flags go before variables, variables before the profile.',
    ...settings.flatMap(({ variable, help }) => ['.TP', bold(variable), roff(sentence(help))]),
    ...exitStatuses(),
  ])
}

/** Creates the pages, by file name. */
export function manualPages(): ReadonlyMap<string, string> {
  const groups = new Map<string, CommandDefinition[]>()
  for (const command of COMMANDS.filter(({ hidden }) => hidden !== true)) {
    const [name = ''] = command.name.split(' ')
    groups.set(name, [...(groups.get(name) ?? []), command])
  }
  const summaries = new Map(
    [...groups].map(([name, [first]]) => [name, GROUPS[name] ?? first?.summary ?? ''] as const),
  )
  return new Map([
    [`${PROGRAM.name}.1`, programPage(summaries)],
    ...[...groups].map(([name, commands]) => {
      const title = `${PROGRAM.name}-${name}`
      return [`${title}.1`, commandPage(title, summaries.get(name) ?? '', commands)] as const
    }),
  ])
}

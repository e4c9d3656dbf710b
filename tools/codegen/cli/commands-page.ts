/** COMMANDS.md: every command with its options and examples, generated from the definitions. */
import { COMMANDS } from '../../../packages/cli/src/commands/index.ts'
import { EXIT_STATUSES } from '../../../packages/cli/src/exit-status.ts'
import {
  type CommandDefinition,
  GLOBAL_OPTIONS,
  GROUPS,
  type OptionDefinition,
} from '../../../packages/cli/src/frame/definition.ts'
import { PROGRAM } from '../../../packages/cli/src/frame/program.ts'
import { STORE_OPTIONS } from '../../../packages/cli/src/frame/store-options.ts'
import { optionNotes } from './manual-pages.ts'

const START = `Each of these is one command, and a test runs them all. Settings come from the environment, a profile, or the lines that \`brokerwire simulate\` prints.

Check everything between this machine and the first event:

\`\`\`sh
brokerwire doctor
\`\`\`

Create a token, and wait until it is approved in the app:

\`\`\`sh
brokerwire token create --wait
\`\`\`

Send a signed request with that token:

\`\`\`sh
brokerwire request GET /openapi/config
\`\`\`

Print live events through \`jq\`. A second run continues after the last event, even if the first one was killed:

\`\`\`sh
brokerwire listen module --modules funding --json --cursor cursor.json | jq --unbuffered -r 'select(.type == "event").frame.position'
\`\`\`

Find out why a signature is wrong. \`request.json\` is the request that was signed here, \`theirs.txt\` the string that the other side signed:

\`\`\`sh
brokerwire compare request.json theirs.txt
\`\`\``

/** A paragraph, in which no word is an HTML tag. */
const paragraph = (text: string): string => text.replaceAll('<', '\\<')

/** A table cell, with special characters escaped. */
const cell = (text: string): string => paragraph(text).replaceAll('|', '\\|')

function optionRow(option: OptionDefinition): string {
  return `| \`${option.flags.replaceAll('|', '\\|')}\` | ${cell(optionNotes(option))} |`
}

const optionTable = (options: readonly OptionDefinition[]): readonly string[] =>
  options.length === 0 ? [] : ['', '| Option | Meaning |', '| --- | --- |', ...options.map(optionRow)]

/** The name and the text of an option. Options with the same key are described once. */
const keyOf = (option: OptionDefinition): string => `${option.flags} ${optionNotes(option)}`

const CONNECTION_KEYS = new Set(STORE_OPTIONS.map(keyOf))

/** Whether a command has all connection options. A command with a few of them lists them like its other options. */
function isConnected({ options = [] }: CommandDefinition): boolean {
  const keys = new Set(options.map(keyOf))
  return [...CONNECTION_KEYS].every((key) => keys.has(key))
}

/** Links to the sections that describe the options that this command shares with others. */
function sharedLines(
  command: CommandDefinition,
  shared: readonly OptionDefinition[],
  firstCommands: ReadonlyMap<string, string>,
): readonly string[] {
  const flagsByCommand = new Map<string, string[]>()
  for (const option of shared) {
    const first = firstCommands.get(keyOf(option)) ?? ''
    const [flag = ''] = option.flags.split(' ')
    flagsByCommand.set(first, [...(flagsByCommand.get(first) ?? []), `\`${flag}\``])
  }
  const lines = [...flagsByCommand].map(
    ([name, flags]) => `- ${flags.join(', ')}: as in [${name}](#${name.replaceAll(' ', '-')})`,
  )
  const connection = isConnected(command)
    ? ['', 'It also takes all [connection options](#connection-options).']
    : []
  return [...(lines.length === 0 ? [] : ['', ...lines]), ...connection]
}

/** The first command with each option that is not a connection option of the command. */
function findFirstCommands(commands: readonly CommandDefinition[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  for (const command of commands)
    for (const option of command.options ?? []) {
      const key = keyOf(option)
      const isElsewhere = isConnected(command) && CONNECTION_KEYS.has(key)
      if (!isElsewhere && !first.has(key)) first.set(key, command.name)
    }
  return first
}

function sectionOf(command: CommandDefinition, firstCommands: ReadonlyMap<string, string>): string {
  const { name, summary, details = [], args = [], options = [], examples } = command
  const listed = options.filter((option) => !(isConnected(command) && CONNECTION_KEYS.has(keyOf(option))))
  const isOwn = (option: OptionDefinition): boolean => firstCommands.get(keyOf(option)) === name
  const usage = [
    'brokerwire',
    name,
    ...(options.length === 0 ? [] : ['[options]']),
    ...args.map((one) => one.name),
  ]
  return [
    `## ${name}`,
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    '```',
    usage.join(' '),
    '```',
    ...details.flatMap((text) => ['', paragraph(text)]),
    ...(args.length === 0
      ? []
      : [
          '',
          ...args.map(
            (one) => `- \`${one.name}\`: ${one.help}${one.choices ? ` (${one.choices.join(', ')})` : ''}`,
          ),
        ]),
    ...optionTable(listed.filter(isOwn)),
    ...sharedLines(
      command,
      listed.filter((option) => !isOwn(option)),
      firstCommands,
    ),
    '',
    '```sh',
    ...examples.flatMap(({ does, line }) => [`# ${does}`, line]),
    '```',
  ].join('\n')
}

/** Creates the page. */
export function commandsPage(): string {
  const shown = COMMANDS.filter(({ hidden }) => hidden !== true)
  const firstCommands = findFirstCommands(shown)
  const groups = Object.entries(GROUPS).map(([name, does]) => `- \`${name}\`: ${does}`)
  return `${[
    '# Commands',
    '',
    `${PROGRAM.summary}. Generated from the definitions of its commands by \`pnpm generate cli\`; do not edit.`,
    '',
    '## From keys to a live event',
    '',
    START,
    '',
    '## Every command takes',
    ...optionTable(GLOBAL_OPTIONS),
    '',
    'Groups:',
    '',
    ...groups,
    '',
    '## Connection options',
    '',
    'The commands that link to this section take all of these.',
    ...optionTable(STORE_OPTIONS),
    '',
    ...shown.flatMap((definition) => [sectionOf(definition, firstCommands), '']),
    '## Exit status',
    '',
    '| Status | Meaning |',
    '| --- | --- |',
    ...EXIT_STATUSES.map(({ status, meaning }) => `| ${status} | ${cell(meaning)} |`),
  ].join('\n')}\n`
}

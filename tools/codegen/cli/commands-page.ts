/** COMMANDS.md: every command with its options and examples, as the definitions have them. */
import { COMMANDS } from '../../../packages/cli/src/commands/index.ts'
import { EXIT_STATUSES } from '../../../packages/cli/src/exit-status.ts'
import {
  type CommandDefinition,
  GLOBAL_OPTIONS,
  GROUPS,
  type OptionDefinition,
} from '../../../packages/cli/src/frame/definition.ts'
import { PROGRAM } from '../../../packages/cli/src/frame/program.ts'
import { optionNotes } from './option-notes.ts'

const START = `Each of these is one command; a test runs them as they stand here. The settings are in the environment, in a profile, or in the lines that \`brokerwire simulate\` prints.

Is everything in order between here and the first event?

\`\`\`sh
brokerwire doctor
\`\`\`

A token, approved in the app and waited for:

\`\`\`sh
brokerwire token create --wait
\`\`\`

A signed request with it:

\`\`\`sh
brokerwire request GET /openapi/config
\`\`\`

Live events through \`jq\`; run again, it goes on where it was stopped, also where it was killed:

\`\`\`sh
brokerwire listen module --modules funding --json --cursor cursor.json | jq --unbuffered -r 'select(.type == "event").frame.position'
\`\`\`

Why is a signature wrong? \`request.json\` is what was signed here, \`theirs.txt\` the string that the other side signed:

\`\`\`sh
brokerwire compare request.json theirs.txt
\`\`\``

/** A cell of a table: nothing in it ends the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<')

function optionRow(option: OptionDefinition): string {
  return `| \`${option.flags.replaceAll('|', '\\|')}\` | ${cell(optionNotes(option))} |`
}

const optionTable = (options: readonly OptionDefinition[]): readonly string[] =>
  options.length === 0 ? [] : ['', '| Option | Meaning |', '| --- | --- |', ...options.map(optionRow)]

function sectionOf({
  name,
  summary,
  details = [],
  args = [],
  options = [],
  examples,
}: CommandDefinition): string {
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
    ...details.flatMap((paragraph) => ['', paragraph]),
    ...(args.length === 0
      ? []
      : [
          '',
          ...args.map(
            (one) => `- \`${one.name}\`: ${one.help}${one.choices ? ` (${one.choices.join(', ')})` : ''}`,
          ),
        ]),
    ...optionTable(options),
    '',
    '```sh',
    ...examples.flatMap(({ does, line }) => [`# ${does}`, line]),
    '```',
  ].join('\n')
}

/** The page. */
export function commandsPage(): string {
  const shown = COMMANDS.filter(({ hidden }) => hidden !== true)
  const groups = Object.entries(GROUPS).map(([name, does]) => `- \`${name}\`: ${does}`)
  return `${[
    '# Commands',
    '',
    `${PROGRAM.summary}. Made of the definitions that the program itself is made of (\`pnpm cli:documents\`).`,
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
    ...shown.flatMap((definition) => [sectionOf(definition), '']),
    '## Exit status',
    '',
    '| Status | Meaning |',
    '| --- | --- |',
    ...EXIT_STATUSES.map(({ status, meaning }) => `| ${status} | ${cell(meaning)} |`),
  ].join('\n')}\n`
}

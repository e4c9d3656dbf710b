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
    ...details.flatMap((text) => ['', paragraph(text)]),
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

/** Creates the page. */
export function commandsPage(): string {
  const shown = COMMANDS.filter(({ hidden }) => hidden !== true)
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
    ...shown.flatMap((definition) => [sectionOf(definition), '']),
    '## Exit status',
    '',
    '| Status | Meaning |',
    '| --- | --- |',
    ...EXIT_STATUSES.map(({ status, meaning }) => `| ${status} | ${cell(meaning)} |`),
  ].join('\n')}\n`
}

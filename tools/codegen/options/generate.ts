/** docs/reference/options: a page for each package, with its exported options. */
import { publicPackages } from '../../ci/lib/workspace.ts'
import type { Generated } from '../files.ts'
import { LINE_BREAK, type Option, type OptionGroup, readOptionGroups } from './read.ts'

const FOLDER = 'docs/reference/options'
const NOTE = '<!-- Written by pnpm generate options. Do not edit. -->'

/** Text in a cell of a table. */
const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(LINE_BREAK.replace('<', '&lt;'), LINE_BREAK)
    .replaceAll('{{', '{ {')
/** Code in a cell. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

/** The text of `{@link name}` as code. */
const withoutLinks = (text: string): string => text.replace(/\{@link ([^\s}|]+)[^}]*\}/g, '`$1`')

function row({ name, type, isRequired, defaultValue, meaning }: Option): string {
  const shown = defaultValue === '' ? '' : cell(withoutLinks(defaultValue))
  const fallback = isRequired && shown === '' ? 'required' : shown
  return `| \`${name}\` | ${code(type)} | ${fallback} | ${meaningCell(meaning)} |`
}

/** A comment has code spans, in which `<` is no tag. */
const meaningCell = (text: string): string =>
  withoutLinks(text)
    .split('`')
    .map((part, index) => (index % 2 === 0 ? cell(part) : part.replaceAll('|', '\\|')))
    .join('`')

function section({ name, meaning, options, inherited }: OptionGroup): string {
  const also = inherited.map((of) => `[\`${of.name}\`](${of.package}.md#${of.name.toLowerCase()})`)
  return [
    `## ${name}`,
    meaningCell(meaning),
    ...(also.length === 0 ? [] : [`It also has the options of ${also.join(', ')}.`]),
    ...(options.length === 0
      ? []
      : [['| Option | Type | Default | Meaning |', '|---|---|---|---|', ...options.map(row)].join('\n')]),
  ].join('\n\n')
}

export function generate(): Generated {
  const pages = [...readOptionGroups()].filter(([, groups]) => groups.length > 0)
  const names = new Map(publicPackages().map(({ short, manifest }) => [short, manifest.name]))
  const index = `${NOTE}

# Options

The options of each package, from the comments in its code. Durations end in \`Ms\` and are milliseconds, sizes end in \`Bytes\`. An option
without a default is required, or its absence has the meaning that its row describes.

${pages.map(([short, groups]) => `- [${names.get(short)}](${short}.md): ${groups.map(({ name }) => `[${name}](${short}.md#${name.toLowerCase()})`).join(', ')}`).join('\n')}
`
  return {
    files: new Map([
      [`${FOLDER}/index.md`, index],
      ...pages.map(
        ([short, groups]) =>
          [
            `${FOLDER}/${short}.md`,
            `${[NOTE, `# Options of ${names.get(short)}`, ...groups.map(section)].join('\n\n')}\n`,
          ] as const,
      ),
    ]),
    folders: [FOLDER],
  }
}

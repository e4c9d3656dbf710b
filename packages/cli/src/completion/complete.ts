/** Completion of the last word of a line: a pure function of the words and the definitions. */
import {
  type ArgumentDefinition,
  type CommandDefinition,
  type CompletionSource,
  GLOBAL_OPTIONS,
  GROUPS,
  isAllowedFor,
  type OptionDefinition,
} from '../frame/definition.ts'

/** A possible value of the word, with its description. */
export interface Candidate {
  readonly value: string
  readonly help: string
}

/** Result of a completion. `more` means that the word is incomplete, so no space follows it. */
export interface Completion {
  readonly candidates: readonly Candidate[]
  readonly paths?: 'files' | 'directories' | undefined
  readonly more?: boolean | undefined
}

/** Returns the values of a source. Some depend on the words before. */
export type Values = (source: CompletionSource, before: readonly string[]) => Promise<readonly string[]>

const NO_COMPLETION: Completion = { candidates: [] }
const HELP: OptionDefinition = { flags: '--help', help: 'the options of the command, and examples' }
/** Sources of lists: the last element is completed, and those before it are not offered again. */
const LISTS: readonly (CompletionSource | undefined)[] = ['modules']

/** Completes the last word, which may be empty. */
export async function complete(
  words: readonly string[],
  definitions: readonly CommandDefinition[],
  values: Values,
): Promise<Completion> {
  const { before, word, joined: optionBeforeSign } = splitWords(words)
  const line = parseWords(before, definitions)
  if (optionBeforeSign !== undefined) {
    const option = findOption(line.options, optionBeforeSign)
    return option === undefined ? NO_COMPLETION : await completeValue(option, word, line.positionals, values)
  }
  if (line.pendingOption !== undefined)
    return await completeValue(line.pendingOption, word, line.positionals, values)
  if (word.startsWith('-') && word !== '-' && !line.areOptionsEnded)
    return await completeOption(word, line, values)
  const commands = line.positionals.length === 0 ? listCommands(line.name, definitions) : []
  const named = filterByPrefix(commands, word)
  const argument = findArgument(line)
  if (argument === undefined) return { candidates: named }
  const found = await completeValue(argument, word, line.positionals, values)
  return { ...found, candidates: [...named, ...found.candidates] }
}

/** Joins words that bash has split at `=`: the option, the sign, and the beginning of the value. */
function splitWords(words: readonly string[]) {
  const before = words.slice(0, -1)
  const word = words.at(-1) ?? ''
  const [option, sign] = word === '=' ? [before.at(-1), word] : before.slice(-2)
  if (sign !== '=' || option?.startsWith('--') !== true) return { before, word }
  return { before: before.slice(0, word === '=' ? -1 : -2), word: word === '=' ? '' : word, joined: option }
}

interface Line {
  readonly name: string
  readonly definition: CommandDefinition | undefined
  readonly options: readonly OptionDefinition[]
  /** Options before the word. */
  readonly given: ReadonlySet<OptionDefinition>
  readonly positionals: readonly string[]
  /** The option whose value is being completed. */
  readonly pendingOption: OptionDefinition | undefined
  /** Whether `--` was given. After it, there are no options. */
  readonly areOptionsEnded: boolean
}

/** Splits a command line into the name of its command, options and arguments. */
export function parseWords(words: readonly string[], definitions: readonly CommandDefinition[]): Line {
  let name = ''
  let pendingOption: OptionDefinition | undefined
  let areOptionsEnded = false
  const positionals: string[] = []
  const given = new Set<OptionDefinition>()
  const findDefinition = (): CommandDefinition | undefined => definitions.find((one) => one.name === name)
  const listOptions = (): readonly OptionDefinition[] => [
    ...(findDefinition()?.options ?? []),
    ...(findDefinition()?.parent?.options ?? []),
    ...GLOBAL_OPTIONS,
    HELP,
  ]
  for (const word of words) {
    if (pendingOption !== undefined || word === '=') {
      pendingOption = undefined
      continue
    }
    if (word === '--' && !areOptionsEnded) areOptionsEnded = true
    else if (word.startsWith('-') && word !== '-' && !areOptionsEnded) {
      const option = findOption(listOptions(), word.replace(/=.*/s, ''))
      if (option !== undefined) given.add(option)
      if (option !== undefined && takesValue(option) && !word.includes('=')) pendingOption = option
    } else {
      const longer = name === '' ? word : `${name} ${word}`
      const isCommand =
        positionals.length === 0 &&
        definitions.some((one) => one.name === longer || one.name.startsWith(`${longer} `))
      if (isCommand) name = longer
      else positionals.push(word)
    }
  }
  return {
    name,
    definition: findDefinition(),
    options: listOptions(),
    given,
    positionals,
    pendingOption,
    areOptionsEnded,
  }
}

/** Returns all names of an option, such as `--account` and `--account-id`. */
const getFlagNames = ({ flags }: OptionDefinition): readonly string[] => flags.match(/--[\w-]+/g) ?? []
const getFlagName = (option: OptionDefinition): string => getFlagNames(option).at(-1) ?? ''
const takesValue = ({ flags }: OptionDefinition): boolean => flags.includes('<')

function findOption(options: readonly OptionDefinition[], name: string): OptionDefinition | undefined {
  return options.find((option) => getFlagNames(option).includes(name))
}

function filterByPrefix(candidates: readonly Candidate[], word: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(word))
}

function listCommands(name: string, definitions: readonly CommandDefinition[]): readonly Candidate[] {
  const prefix = name === '' ? '' : `${name} `
  const found = new Map<string, string>()
  for (const { name: full, summary, hidden } of definitions) {
    if (hidden || !full.startsWith(prefix)) continue
    const [next = '', ...rest] = full.slice(prefix.length).split(' ')
    if (!found.has(next)) found.set(next, rest.length === 0 ? summary : (GROUPS[next] ?? ''))
  }
  return [...found].map(([value, help]) => ({ value, help }))
}

async function completeOption(word: string, line: Line, values: Values): Promise<Completion> {
  const [name = '', value] = word.split(/=(.*)/s)
  if (value !== undefined) {
    const option = findOption(line.options, name)
    if (option === undefined) return NO_COMPLETION
    const found = await completeValue(option, value, line.positionals, values)
    return {
      ...found,
      candidates: found.candidates.map((one) => ({ ...one, value: `${name}=${one.value}` })),
    }
  }
  const open = line.options.filter(
    (option) =>
      (option.repeats === true || !line.given.has(option)) && isAllowedFor(option, line.positionals[0]),
  )
  return {
    candidates: filterByPrefix(
      open.map((option) => ({ value: getFlagName(option), help: option.help })),
      word,
    ),
  }
}

function findArgument({ definition, positionals }: Line): ArgumentDefinition | undefined {
  const args = definition?.args ?? []
  const last = args.at(-1)
  return args[positionals.length] ?? (last?.name.includes('...') ? last : undefined)
}

async function completeValue(
  given: OptionDefinition | ArgumentDefinition,
  word: string,
  before: readonly string[],
  values: Values,
): Promise<Completion> {
  const { choices } = given
  const source = given.completes ?? getPathSource('flags' in given ? given.flags : given.name)
  if (source === 'files' || source === 'directories') return { candidates: [], paths: source }
  const listed = 'listOf' in given ? given.listOf : undefined
  const known = 'known' in given ? given.known : undefined
  const names = choices ?? listed ?? known ?? (source === undefined ? [] : await values(source, before))
  if (listed === undefined && !LISTS.includes(source))
    return { candidates: filterByPrefix(toCandidates(names), word) }
  const at = word.lastIndexOf(',') + 1
  const taken = word.slice(0, at).split(',')
  const remaining = names.filter((name) => !taken.includes(name))
  return {
    candidates: filterByPrefix(toCandidates(remaining.map((name) => `${word.slice(0, at)}${name}`)), word),
    more: true,
  }
}

const toCandidates = (names: readonly string[]): readonly Candidate[] =>
  names.map((value) => ({ value, help: '' }))

function getPathSource(placeholder: string): CompletionSource | undefined {
  if (/[<[]file(?:\.\.\.)?[>\]]/.test(placeholder)) return 'files'
  return placeholder.includes('<directory>') ? 'directories' : undefined
}

/**
 * Definition of a command. The commander program, COMMANDS.md, manual pages and completion are generated from
 * it. It is loaded at every start, so it imports nothing large. The implementation is loaded when the command
 * runs.
 */
import type { GuardedIo } from '../io.ts'
import type { ReadFlag } from '../number-option.ts'

/**
 * Source of completion values, in addition to `choices`. Placeholders `<file>` and `<directory>` are completed without
 * it.
 */
export type CompletionSource =
  | 'files'
  | 'directories'
  | 'modules'
  | 'profiles'
  | 'settings'
  | 'setting-values'

/** An option of a command. */
export interface OptionDefinition {
  /** Flags in the syntax of commander: `'--count <n>'`. */
  readonly flags: string
  /** Help text, which starts in lower case and has no full stop. */
  readonly help: string
  readonly choices?: readonly string[] | undefined
  /** Known values, for completion only. Other values are accepted too. */
  readonly known?: readonly string[] | undefined
  /** Possible elements of a comma-separated list, for completion only. */
  readonly listOf?: readonly string[] | undefined
  readonly defaultValue?: string | number | boolean | undefined
  readonly parse?: ReadFlag<unknown> | undefined
  /** Whether the option may be used more than once. Its value is then a list. */
  readonly repeats?: boolean | undefined
  readonly completes?: CompletionSource | undefined
  /**
   * Values of the first argument for which the option is allowed.
   * @defaultValue all
   */
  readonly of?: readonly string[] | undefined
}

/** An argument of a command. */
export interface ArgumentDefinition {
  /** Name in the syntax of commander: `'<url>'`, `'[file]'`, `'<file...>'`. */
  readonly name: string
  readonly help: string
  readonly choices?: readonly string[] | undefined
  readonly completes?: CompletionSource | undefined
}

/** A command line for copying. */
export interface Example {
  readonly does: string
  readonly line: string
}

/** Input of a running command. */
export interface Invocation<Flags> {
  /** Arguments in the order of the definition. A repeated argument is a list. */
  readonly args: readonly (string | readonly string[] | undefined)[]
  readonly flags: Flags
  readonly io: GuardedIo
  /**
   * All commands, for the command that completes words. It cannot import the list of commands, which contains
   * it.
   */
  readonly commands: readonly CommandDefinition[]
  /**
   * Prints the help of a command, of a group, or of the program if there is no word. Returns whether the words name
   * one of them.
   */
  readonly showHelp: (words: readonly string[]) => boolean
}

/** Runs a command. Resolves with the exit status. */
export type Run<Flags> = (invocation: Invocation<Flags>) => Promise<number>

/** A command. */
export interface CommandDefinition {
  /** Name, with its group if it has one: `'listen'`, `'token create'`. */
  readonly name: string
  /** One sentence in lower case, without a full stop. */
  readonly summary: string
  /** Paragraphs after the summary. */
  readonly details?: readonly string[] | undefined
  readonly args?: readonly ArgumentDefinition[] | undefined
  readonly options?: readonly OptionDefinition[] | undefined
  /** The group of the command, if the options of the group apply to it too. */
  readonly parent?: CommandDefinition | undefined
  readonly examples: readonly [Example, ...Example[]]
  /** Whether the command is for programs only, and is omitted from help and documents. */
  readonly hidden?: boolean | undefined
  readonly load: () => Promise<{ readonly run: Run<never> }>
}

/** Whether an option is allowed with this first argument. */
export const isAllowedFor = ({ of }: OptionDefinition, first: string | undefined): boolean =>
  of === undefined || first === undefined || of.includes(first)

/** Groups of commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  token: 'create, check and remove the stored access token',
  'client-token': 'create and refresh the tokens of an end user',
  config: 'store settings in profiles',
}

/** Options of the program, accepted by every command. */
export const GLOBAL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--profile <name>',
    help: 'profile to read settings from; flags and variables override it; default: "default" (env: BROKERWIRE_PROFILE)',
    completes: 'profiles',
  },
  {
    flags: '--color <when>',
    help: 'use colors; auto: on a terminal, unless NO_COLOR is set',
    choices: ['auto', 'always', 'never'],
    defaultValue: 'auto',
  },
]

/**
 * What a command is: one value, of which commander's program, COMMANDS.md, the manual pages and the completion are made.
 * It is read on every start, so it imports nothing that is heavy: what the command does is loaded when it runs.
 */
import type { GuardedIo } from '../io.ts'
import type { ReadFlag } from '../number-option.ts'

/**
 * Where values to choose from come from, beside `choices`. What is called `<file>` or `<directory>` is one without saying
 * it here.
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
  /** As commander reads it: `'--count <n>'`. */
  readonly flags: string
  /** Begins in lower case, ends without a full stop. */
  readonly help: string
  readonly choices?: readonly string[] | undefined
  /** Names of a list separated by commas, for completion: what reads the list checks it. */
  readonly listOf?: readonly string[] | undefined
  readonly defaultValue?: string | number | boolean | undefined
  readonly parse?: ReadFlag<unknown> | undefined
  /** May be given more than once: its value is a list. */
  readonly repeats?: boolean | undefined
  readonly completes?: CompletionSource | undefined
  /** Values of the command's first argument that it belongs to; with others it is refused. Left out: all. */
  readonly of?: readonly string[] | undefined
}

/** An argument of a command. */
export interface ArgumentDefinition {
  /** `'<url>'`, `'[file]'`, `'<file...>'`. */
  readonly name: string
  readonly help: string
  readonly choices?: readonly string[] | undefined
  readonly completes?: CompletionSource | undefined
}

/** A command line to copy. */
export interface Example {
  readonly does: string
  readonly line: string
}

/** What a command is run with. */
export interface Invocation<Flags> {
  /** In the order of the definition; a repeated one is a list. */
  readonly args: readonly (string | readonly string[] | undefined)[]
  readonly flags: Flags
  readonly io: GuardedIo
  /** All commands, for the one that completes them: it cannot import the list that it stands in. */
  readonly commands: readonly CommandDefinition[]
}

/** Runs a command. Resolves with the exit status. */
export type Run<Flags> = (invocation: Invocation<Flags>) => Promise<number>

/** A command. */
export interface CommandDefinition {
  /** `'listen'`, or with its group: `'token create'`. */
  readonly name: string
  /** One sentence without its full stop, in lower case. */
  readonly summary: string
  /** Paragraphs that follow it. */
  readonly details?: readonly string[] | undefined
  readonly args?: readonly ArgumentDefinition[] | undefined
  readonly options?: readonly OptionDefinition[] | undefined
  readonly examples: readonly [Example, ...Example[]]
  /** Left out of help and documents: for programs. */
  readonly hidden?: boolean | undefined
  readonly load: () => Promise<{ readonly run: Run<never> }>
}

/** Whether an option means something with this first argument. */
export const belongsTo = ({ of }: OptionDefinition, first: string | undefined): boolean =>
  of === undefined || first === undefined || of.includes(first)

/** Groups of commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  token: 'create, follow, check and forget the access token in the store',
  'client-token': "tokens of a customer's app",
  config: 'profiles: settings that are kept',
}

/** Options of the program itself, taken by every command. */
export const GLOBAL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--profile <name>',
    help: 'the profile with the settings that neither a flag nor a variable names; otherwise BROKERWIRE_PROFILE, or the one named default',
    completes: 'profiles',
  },
  {
    flags: '--color <when>',
    help: 'colors: auto is on a terminal, unless NO_COLOR is set',
    choices: ['auto', 'always', 'never'],
    defaultValue: 'auto',
  },
]

/**
 * The runner of all proofs. It reads options and the seed, runs the cases one after the other, and prints
 * totals. Its result decides the exit status.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { needs, type ServerPackage } from '@brokerwire/testing/installed'
import { createRandom, type Random } from './random.ts'

export type Figures = Readonly<Record<string, string | number>>

export interface CaseContext {
  /** Whether the run is the short one, with fewer rounds and shorter waits. The promises are the same. */
  readonly short: boolean
  /** Source of all random choices. The same seed gives the same choices, independent of the other cases. */
  readonly random: Random
  readonly folder: string
  check(holds: boolean, what: string): void
  /** Fails the case. The text must not contain a secret. */
  fail(what: string): void
  print(line: string): void
  /** Calls `action` when the case has ended. The last registered action runs first. */
  atEnd(action: () => unknown): void
}

/** One part of a proof: a fault, a kind of attack, or a phase. */
export interface Case {
  readonly name: string
  readonly promise?: string
  /** Whether `--short` includes it. @defaultValue true */
  readonly inShort?: boolean
  /** Cases of the same group run one after the other, and groups run at the same time. */
  readonly group?: string
  /** Servers that must be installed. Without them the case is skipped, except in CI. */
  readonly needs?: readonly ServerPackage[]
  /**
   * Arguments that repeat a failure.
   * @defaultValue the seed and the name of the case
   */
  readonly rerunArguments?: string
  run(context: CaseContext): Promise<Figures>
}

export interface ProofOptions {
  readonly short: boolean
  readonly seed: number
  readonly only: readonly string[]
  /**
   * Returns the value of a numeric option of the proof. If the option is not set, returns `full` or `short`,
   * which are the defaults of the two forms.
   */
  flag(name: string, full: number, short: number): number
  atEnd(action: () => unknown): void
}

/** A proof. Its module exports it as `proof`. */
export interface Proof {
  /** Numeric options of this proof, with their descriptions. */
  readonly flags?: Readonly<Record<string, string>>
  /**
   * Description of the values of `--only`, if the proof interprets it itself.
   * @defaultValue cases
   */
  readonly only?: string
  cases(options: ProofOptions): readonly Case[]
}

export class UsageError extends Error {}

const INDENT = ' '.repeat(18)
const MAX_FAILURES = 10

interface CommandLine {
  readonly short: boolean
  readonly help: boolean
  readonly seed: number
  readonly only: readonly string[]
  readonly numbers: ReadonlyMap<string, number>
}

function parse(name: string, { flags = {} }: Proof, args: readonly string[]): CommandLine {
  const names = ['short', 'seed', 'only', ...Object.keys(flags)]
  const whole = (option: string, text: string): number => {
    const number = text === '' ? Number.NaN : Number(text)
    if (Number.isSafeInteger(number) && number >= 0) return number
    throw new UsageError(`--${option} must be a whole number; received "${text}"`)
  }
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        short: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
        only: { type: 'string', multiple: true, default: [] },
        ...Object.fromEntries(Object.keys(flags).map((flag) => [flag, { type: 'string' as const }])),
      },
    })
    const { short, help, only, seed } = values
    const given = Object.entries<unknown>(values).filter(([flag]) => Object.hasOwn(flags, flag))
    const numbers = new Map(given.map(([flag, text]) => [flag, whole(flag, String(text))] as const))
    return { short, help, only, seed: whole('seed', seed), numbers }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const [reason] = (error as Error).message.split('. ')
    throw new UsageError(`${reason}; "pnpm proof ${name}" has ${names.map((each) => `--${each}`).join(', ')}`)
  }
}

/**
 * Selects the cases whose name is equal to an element of `only`. If no name is equal to an element, selects
 * the cases whose name contains it.
 */
function select(cases: readonly Case[], only: readonly string[], short: boolean): readonly Case[] {
  if (only.length === 0) return cases.filter(({ inShort = true }) => inShort || !short)
  const chosen = new Set(
    only.flatMap((text) => {
      const equal = cases.filter(({ name }) => name === text)
      const found = equal.length > 0 ? equal : cases.filter(({ name }) => name.includes(text))
      if (found.length > 0) return found
      const names = cases.map(({ name }) => `"${name}"`).join(', ')
      throw new UsageError(
        `--only must be part of the name of a case; received "${text}". The cases: ${names}`,
      )
    }),
  )
  return cases.filter((one) => chosen.has(one))
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
/** Converts a name to words: `maxQueue` to `max queue`. */
const spaced = (name: string): string =>
  name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000

/**
 * Runs one case. It fails if it throws, or if there is an uncaught error while it runs.
 *
 * @returns Whether the case passed.
 */
async function runCase(
  one: Case,
  { short, seed }: CommandLine,
  rerun: string,
  print: (line: string) => void,
): Promise<boolean> {
  const failures: string[] = []
  const fail = (error: unknown): void => void failures.push(textOf(error))
  const uncaught = (error: unknown): void => fail(`uncaught: ${textOf(error)}`)
  const endings: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-proof-'))
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught)
  const startedAt = performance.now()
  let figures: Figures = {}
  try {
    figures = await one.run({
      short,
      random: createRandom(seed).fork(one.name),
      folder,
      check: (holds, what) => void (holds || failures.push(what)),
      fail: (what) => void failures.push(what),
      print: (line) => print(`${INDENT}${line}`),
      atEnd: (action) => void endings.push(action),
    })
  } catch (error) {
    fail(error)
  }
  for (const end of endings.reverse()) {
    try {
      await end()
    } catch (error) {
      fail(error)
    }
  }
  // An error in the next turn of the event loop still belongs to this case.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('uncaughtException', uncaught).off('unhandledRejection', uncaught)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  const passed = failures.length === 0
  const row = Object.entries(figures).map(([name, value]) => `${spaced(name)} ${value}`)
  const seconds = `${secondsSince(startedAt).toFixed(1)} s`.padStart(8)
  const lines = [
    ...(one.promise === undefined ? [] : [`promised: ${one.promise}`]),
    ...(row.length > 0 ? [`measured: ${row.join(', ')}`] : []),
    ...[...new Set(failures)].slice(0, MAX_FAILURES).map((what) => `FAILED: ${what}`),
    ...(passed ? [] : [`run it again: ${rerun}`]),
  ]
  print([`${passed ? 'passed' : 'FAILED'}  ${seconds}  ${one.name}`, ...lines].join(`\n${INDENT}`))
  return passed
}

function help(name: string, { flags = {}, only = 'cases' }: Proof, cases: readonly Case[]): string {
  const common = {
    short: 'fewer cases and fewer rounds',
    'seed N': 'repeats the random choices of a run',
    'only TEXT': `${only} whose name is TEXT or contains it; may be repeated`,
  }
  const own = Object.entries(flags).map(([flag, text]) => [`${flag} N`, text] as const)
  const options = [...Object.entries(common), ...own].map(([flag, text]) => `  --${flag.padEnd(16)} ${text}`)
  const names = cases.map((one) => `  ${one.name}${one.inShort === false ? ' (not with --short)' : ''}`)
  return [`pnpm proof ${name}`, ...options, ...(only === 'cases' ? ['Cases:', ...names] : [])].join('\n')
}

/**
 * Runs a proof.
 *
 * @returns Whether all cases passed.
 * @throws {@link UsageError}
 */
export async function runProof(
  name: string,
  proof: Proof,
  args: readonly string[],
  print: (line: string) => void = console.log,
): Promise<boolean> {
  const line = parse(name, proof, args)
  const endings: (() => unknown)[] = []
  const { short, seed, only, numbers } = line
  const cases = proof.cases({
    short,
    seed,
    only,
    flag: (flag, full, inShort) => numbers.get(flag) ?? (short ? inShort : full),
    atEnd: (action) => void endings.push(action),
  })
  if (line.help) {
    print(help(name, proof, cases))
    return true
  }
  const chosen = select(cases, proof.only === undefined ? only : [], short)
  print(`seed ${seed}`)
  const startedAt = performance.now()
  const given = [...numbers].map(([flag, value]) => ` --${flag} ${value}`).join('')
  const rerunCommand = (one: Case): string =>
    `pnpm proof ${name}${short ? ' --short' : ''} ${one.rerunArguments ?? `--seed ${seed} --only '${one.name}'${given}`}`
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const groups = [...new Set(chosen.map(({ group }) => group))]
  await Promise.all(
    groups.map(async (group) => {
      for (const one of chosen.filter((each) => each.group === group)) {
        const { skip, note } = needs(...(one.needs ?? []))
        if (skip) print(`skipped           ${one.name}${note}`)
        if (skip) counts.skipped += 1
        else counts[(await runCase(one, line, rerunCommand(one), print)) ? 'passed' : 'failed'] += 1
      }
    }),
  )
  for (const end of endings.reverse()) await end()
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
  const seconds = Math.round(secondsSince(startedAt))
  print(`${name}: ${counts.passed} passed, ${counts.failed} failed${skipped}, ${seconds} s, seed ${seed}`)
  return counts.failed === 0
}

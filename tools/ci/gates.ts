/**
 * The gates of `.ci/run`. Each gate is a script of the root manifest with its arguments, so you can also run
 * it alone: `pnpm proof faults --short`.
 */

/** One gate. */
export interface Gate {
  /**
   * A script and its arguments in the run of a pull request. `undefined` if only the full run has this gate.
   */
  readonly short?: string
  /**
   * The form in the full run.
   * @defaultValue `short`
   */
  readonly full?: string
  /** Scripts that must end before this gate starts. */
  readonly after?: readonly string[]
}

/**
 * The gates in the order in which they start. Long gates come first, because short ones can use the time at
 * the end.
 */
export const GATES: readonly Gate[] = [
  { short: 'build' },
  { short: 'proof faults --short', full: 'proof faults' },
  { short: 'pack:all', after: ['build'] },
  { short: 'check:types', full: 'check:types --all', after: ['pack:all'] },
  { short: 'runtimes', full: 'runtimes --all', after: ['pack:all'] },
  { short: 'consumers', full: 'consumers --all', after: ['pack:all'] },
  { short: 'check:packages', after: ['pack:all'] },
  { short: 'journey', after: ['pack:all'] },
  { short: 'api', after: ['build'] },
  { short: 'check', after: ['build'] },
  { short: 'proof attacks --short', full: 'proof attacks' },
  { short: 'typecheck' },
  { short: 'knip' },
  { short: 'generate --check' },
  { short: 'lint' },
  { short: 'proof state --short', full: 'proof state' },
  { short: 'proof orders --short', full: 'proof orders' },
  { short: 'protos' },
  { short: 'changeset:status' },
  { full: 'proof quiet' },
  { full: 'proof relay' },
  { full: 'rehearse', after: ['pack:all'] },
  { full: 'proof stores' },
  { full: 'proof fuzz' },
  // Twenty runs of this proof, and the mutation tests, take hours: full.yml has a job for each.
  { full: 'proof repeat --short' },
]

/** A gate with the arguments of one run. */
export interface Step {
  /** A script and its arguments. */
  readonly command: string
  /** Commands that must end before this one starts. */
  readonly after: readonly string[]
}

/** The name of the script in a command. */
export function scriptOf(command: string): string {
  return command.split(' ')[0] ?? ''
}

/**
 * The gates of a run.
 *
 * @param isFull - Whether each gate has its long form.
 */
export function stepsOf(gates: readonly Gate[], isFull: boolean): Step[] {
  return gates.flatMap(({ short, full = short, after = [] }) => {
    const command = isFull ? full : short
    return command === undefined ? [] : [{ command, after }]
  })
}

/**
 * The gates that the command line names.
 *
 * @throws An error that lists the names that are not scripts of the root manifest.
 */
export function namedSteps(names: readonly string[], scripts: Readonly<Record<string, string>>): Step[] {
  const unknown = names.filter((name) => !Object.hasOwn(scripts, scriptOf(name)))
  if (unknown.length > 0) {
    const known = [...new Set(stepsOf(GATES, true).map(({ command }) => scriptOf(command)))]
    throw new Error(`.ci/run: unknown gate: ${unknown.join(', ')}. The gates are ${known.join(', ')}.`)
  }
  return names.map((command) => ({ command, after: [] }))
}

/**
 * Runs steps in their order, several at the same time. A step starts when the steps of its `after` have
 * ended.
 *
 * @param run - Executes one command. Must not reject.
 */
export async function runSteps(
  steps: readonly Step[],
  atOnce: number,
  run: (command: string) => Promise<void>,
): Promise<void> {
  const waiting = [...steps]
  const running = new Map<string, Promise<void>>()
  const isPending = (name: string): boolean =>
    running.has(name) || waiting.some(({ command }) => command === name)
  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex(({ after }) => !after.some(isPending))
    if (next !== -1 && running.size < atOnce) {
      const [{ command }] = waiting.splice(next, 1) as [Step]
      running.set(
        command,
        run(command).finally(() => running.delete(command)),
      )
    } else {
      if (running.size === 0) throw new Error('these gates wait for each other')
      await Promise.race(running.values())
    }
  }
}

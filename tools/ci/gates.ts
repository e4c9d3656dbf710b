/**
 * The gates of `.ci/run`. Each gate is a script of the root manifest with its arguments, so you can also run
 * it alone, for example `pnpm proof faults --short`.
 */

/** One gate. */
export interface Gate {
  /**
   * A script and its arguments in the run of a pull request. `undefined` if only the full run has this gate.
   */
  readonly short?: string
  /**
   * The script and its arguments in the full run.
   * @defaultValue `short`
   */
  readonly full?: string
  /** Scripts that must end before this gate starts. */
  readonly after?: readonly string[]
}

/**
 * The gates in the order in which they start. Long gates come first, because short gates can use the time
 * while the last long gates run.
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
  { short: 'proof backfill --short', full: 'proof backfill' },
  // The other cases start clusters of servers.
  { short: 'proof relay --short --only webhooks', full: 'proof relay' },
  { short: 'protos' },
  { short: 'changeset:status' },
  { full: 'proof quiet' },
  { full: 'rehearse', after: ['pack:all'] },
  { full: 'check:jsr', after: ['pack:all'] },
  { full: 'proof stores' },
  { full: 'proof fuzz' },
  // Twenty runs of this proof take hours, and so do the mutation tests. Therefore full.yml has a job for each
  // of the two.
  { full: 'proof repeat --short' },
]

/** A gate with the arguments of one run. */
export interface Step {
  /** A script and its arguments. */
  readonly command: string
  /** Commands that must end before this one starts. */
  readonly after: readonly string[]
}

/** Returns the name of the script in a command. */
export function scriptOf(command: string): string {
  return command.split(' ')[0] ?? ''
}

/**
 * Returns the steps of a run.
 *
 * @param isFull - Whether the run is the full one.
 */
export function stepsOf(gates: readonly Gate[], isFull: boolean): Step[] {
  return gates.flatMap(({ short, full = short, after = [] }) => {
    const command = isFull ? full : short
    return command === undefined ? [] : [{ command, after }]
  })
}

/**
 * Returns the steps for the gates that the command line names.
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
 * Runs steps in their order, several at the same time. A step starts when all steps that its `after` names
 * have ended.
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

/** What `pnpm test:repeat` does in each run, and the line that does one run again. */

/** One run of the tests. */
export interface Run {
  /** Seed of the order of files and of tests. Says by itself whether the machine is kept busy. */
  readonly seed: number
  readonly busy: boolean
}

/** What is run. */
export interface Selection {
  readonly projects: readonly string[]
  /** Parts of files' paths, any of which is enough. None means all files. */
  readonly files: readonly string[]
}

/** `count` orders from `seed` on. Every other one is busy: those with an odd seed, so that a seed repeats its load too. */
export function planRuns(count: number, seed: number): Run[] {
  return Array.from({ length: count }, (_, index) => ({ seed: seed + index, busy: (seed + index) % 2 !== 0 }))
}

/** @param names - Each is one of `projects`, or a part of a file's path. */
export function select(names: readonly string[], projects: readonly string[]): Selection {
  return {
    projects: names.filter((name) => projects.includes(name)),
    files: names.filter((name) => !projects.includes(name)),
  }
}

/** Arguments of vitest. */
export function vitestArgs({ projects, files }: Selection, { seed }: Run): string[] {
  return [
    'run',
    ...projects.map((name) => `--project=${name}`),
    '--sequence.shuffle',
    `--sequence.seed=${seed}`,
    ...files,
  ]
}

/** The line that repeats a run in its order and under its load. */
export function repeatLine(names: readonly string[], { seed }: Run): string {
  const only = names.map((name) => ` --only ${name}`).join('')
  return `pnpm test:repeat --runs 1 --seed ${seed}${only}`
}

/**
 * The order of test files: as Vitest has it, and where it shuffles, one project after the other, in an order of chance as
 * well. Vitest shuffles the files of all projects together, and a worker that is given another project's file is thrown
 * away: workerd was started for nearly every file.
 */
import { createHash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Where a name stands in the order of a seed. */
const place = (seed: number, name: string): string =>
  createHash('sha1').update(`${seed} ${name}`).digest('hex')

/** The names in the order of a seed, each group beside its own. */
export function shuffled<T>(
  items: readonly T[],
  seed: number,
  groupOf: (item: T) => string,
  nameOf: (item: T) => string,
): T[] {
  return items
    .map((item) => ({ item, at: `${place(seed, groupOf(item))} ${place(seed, nameOf(item))}` }))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .map(({ item }) => item)
}

/** For `sequence.sequencer`. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence
    if (!shuffle) return super.sort(files)
    return shuffled(
      files,
      seed,
      ({ project }) => project.name,
      ({ moduleId }) => moduleId,
    )
  }
}

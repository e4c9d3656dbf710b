/**
 * The order of test files.
 *
 * - Tests in workerd come first, because they all run in one worker. Node's tests use the other workers at
 *   the same time.
 * - A shuffled run keeps the files of a project together, because vitest ends a worker when the next file
 *   belongs to another project.
 */
import { createHash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Calculates the sort key of a name. Another seed gives another key. */
const sortKey = (seed: number, name: string): string =>
  createHash('sha1').update(`${seed} ${name}`).digest('hex')

/** Returns the items in an order that depends on the seed. Items of a group stay together. */
export function shuffled<T>(
  items: readonly T[],
  seed: number,
  groupOf: (item: T) => string,
  nameOf: (item: T) => string,
): T[] {
  return items
    .map((item) => ({ item, at: `${sortKey(seed, groupOf(item))} ${sortKey(seed, nameOf(item))}` }))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .map(({ item }) => item)
}

/** A sequencer for the setting `sequence.sequencer` of vitest. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence
    if (!shuffle) {
      const sorted = await super.sort(files)
      const rank = ({ project }: TestSpecification): number => (project.name.startsWith('workerd') ? 0 : 1)
      return sorted.sort((one, other) => rank(one) - rank(other))
    }
    return shuffled(
      files,
      seed,
      ({ project }) => project.name,
      ({ moduleId }) => moduleId,
    )
  }
}

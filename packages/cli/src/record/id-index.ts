/**
 * Search index of ids in strings. Ids with the same prefix are searched together, so a string is read once
 * for any number of ids. The work is limited, because the service chooses ids and strings.
 */

/** Minimum length of an id. Shorter ids would also match other text. */
const MIN_ID_LENGTH = 6

/** Remaining work. One step compares one character. */
export interface WorkBudget {
  steps: number
}

/** Creates the budget for a text of this length. */
export const createWorkBudget = (length: number): WorkBudget => ({ steps: 64 * length + 100_000 })

/** Ids with the same prefix. */
interface Group {
  readonly ids: Set<string>
  /** Lengths of the ids, longest first, because an id may contain another one. */
  lengths: readonly number[]
}

/** A searchable set of ids. */
export class IdIndex {
  readonly #groups = new Map<string, Group>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds an id of at least {@link MIN_ID_LENGTH} characters. Ignores a shorter one. */
  add(id: string): void {
    if (id.length < MIN_ID_LENGTH || this.has(id)) return
    this.#size += 1
    const start = id.slice(0, MIN_ID_LENGTH)
    const group = this.#groups.get(start)
    if (group === undefined) {
      this.#groups.set(start, { ids: new Set([id]), lengths: [id.length] })
      return
    }
    group.ids.add(id)
    if (!group.lengths.includes(id.length))
      group.lengths = [...group.lengths, id.length].sort((one, other) => other - one)
  }

  has(id: string): boolean {
    return this.#groups.get(id.slice(0, MIN_ID_LENGTH))?.ids.has(id) === true
  }

  /**
   * Returns the longest id at a position of a string. The result is empty if there is no id, or if no work
   * remains.
   */
  findIdAt(text: string, at: number, work: WorkBudget): string {
    const group = this.#groups.get(text.slice(at, at + MIN_ID_LENGTH))
    for (const length of group?.lengths ?? []) {
      work.steps -= length
      if (work.steps < 0) return ''
      const id = text.slice(at, at + length)
      if (group?.ids.has(id)) return id
    }
    return ''
  }
}

/** Replaces each id of the indexes. If `work.steps` is negative afterwards, some ids may remain. */
export function replaceIds(
  text: string,
  indexes: readonly IdIndex[],
  replace: (id: string) => string,
  work: WorkBudget,
): string {
  const nonEmpty = indexes.filter(({ size }) => size > 0)
  if (nonEmpty.length === 0) return text
  let result = ''
  let copied = 0
  for (let at = 0; at + MIN_ID_LENGTH <= text.length && work.steps >= 0; ) {
    const found = nonEmpty.map((index) => index.findIdAt(text, at, work))
    const id = found.reduce((one, other) => (other.length > one.length ? other : one))
    if (id === '') {
      at += 1
      continue
    }
    result += text.slice(copied, at) + replace(id)
    at += id.length
    copied = at
  }
  return result + text.slice(copied)
}

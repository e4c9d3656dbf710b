/**
 * State machines as tables: what is stored, the facts that change it, and one row for each way in which one does.
 *
 * The table is data, so that the diagrams in the README are drawn from what runs, and a test can walk through it.
 */

/** One row: a fact of this kind leads from each of these states to one of those. */
export interface TransitionRow<State extends string = string> {
  readonly from: readonly State[]
  /** The kind of fact. */
  readonly on: string
  /** The condition in words; `undefined` where there is none. */
  readonly when: string | undefined
  /** None: what is stored changes, and its state does not. */
  readonly to: readonly State[]
}

/** A condition. What it says in words stands apart: only a drawing needs them. */
export type When<Stored, Fact> = (stored: Stored, fact: Fact) => boolean

/** A row with what it does. */
interface TableRow<Stored, State extends string, Fact> extends Omit<TransitionRow<State>, 'when'> {
  readonly when: When<Stored, Fact> | undefined
  readonly next: (stored: Stored, fact: Fact) => Stored
}

type Kind<Fact, On> = Extract<Fact, { readonly type: On }>

/** Makes the row constructor of one machine. */
export function rowsOf<Stored, State extends string, Fact extends { readonly type: string }>() {
  return <On extends Fact['type']>(
    on: On,
    from: readonly State[],
    to: readonly State[],
    next: (stored: Stored, fact: Kind<Fact, On>) => Stored,
    when?: When<Stored, Kind<Fact, On>>,
  ) => ({ on, from, to, next, when }) as unknown as TableRow<Stored, State, Fact>
}

/** Applies a fact: the first row that fits. Without one the very same record comes back. */
export function applyFact<Stored, State extends string, Fact extends { readonly type: string }>(
  table: readonly TableRow<Stored, State, Fact>[],
  state: State,
  stored: Stored,
  fact: Fact,
): Stored {
  const row = table.find(
    ({ on, from, when }) => on === fact.type && from.includes(state) && (when?.(stored, fact) ?? true),
  )
  return row === undefined ? stored : row.next(stored, fact)
}

/** A table as data. @param words - What each condition says. */
export function described<Stored, State extends string, Fact>(
  table: readonly TableRow<Stored, State, Fact>[],
  words: ReadonlyMap<unknown, string>,
): readonly TransitionRow<State>[] {
  return table.map(({ from, on, when, to }) => ({ from, on, when: words.get(when), to }))
}

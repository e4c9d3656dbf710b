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

/** A row with what it does. */
interface TableRow<Stored, State extends string, Fact> extends TransitionRow<State> {
  test(stored: Stored, fact: Fact): boolean
  next(stored: Stored, fact: Fact): Stored
}

type Kind<Fact, On> = Extract<Fact, { readonly type: On }>

/** A condition: in words, and as it is tested. */
export type When<Stored, Fact> = readonly [words: string, test: (stored: Stored, fact: Fact) => boolean]

/** Makes the row constructor of one machine. */
export function rowsOf<Stored, State extends string, Fact extends { readonly type: string }>() {
  return <On extends Fact['type']>(
    on: On,
    from: readonly State[],
    to: readonly State[],
    next: (stored: Stored, fact: Kind<Fact, On>) => Stored,
    when?: When<Stored, Kind<Fact, On>>,
  ): TableRow<Stored, State, Fact> => ({
    from,
    on,
    when: when?.[0],
    to,
    test: (stored, fact) => when?.[1](stored, fact as Kind<Fact, On>) ?? true,
    next: (stored, fact) => next(stored, fact as Kind<Fact, On>),
  })
}

/** Applies a fact: the first row that fits. Without one the very same record comes back. */
export function applyFact<Stored, State extends string, Fact extends { readonly type: string }>(
  table: readonly TableRow<Stored, State, Fact>[],
  state: State,
  stored: Stored,
  fact: Fact,
): Stored {
  const row = table.find(
    ({ on, from, test }) => on === fact.type && from.includes(state) && test(stored, fact),
  )
  return row === undefined ? stored : row.next(stored, fact)
}

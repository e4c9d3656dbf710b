/**
 * State machines as tables: one row for each transition, first match wins, no row means that the event is ignored.
 *
 * The table is data, so the diagrams in the README are drawn from what runs, not from a memory of it.
 */

/** One transition. */
export interface TableRow<S extends { readonly name: string }, E extends { readonly type: string }, F> {
  readonly from: readonly S['name'][]
  readonly on: E['type']
  /** The condition in words; `undefined` where there is none. */
  readonly when: string | undefined
  readonly to: S['name']
  test(state: S, event: E): boolean
  step(state: S, event: E): readonly [S, readonly F[]]
}

type Named<S, Name> = Extract<S, { readonly name: Name }>
type Typed<E, Type> = Extract<E, { readonly type: Type }>

/** A row as it is written: typed by its own states and event. */
export interface RowSpec<From extends { readonly name: string }, To extends { readonly name: string }, E, F> {
  readonly from: readonly From['name'][]
  readonly to: To['name']
  readonly when?: readonly [label: string, test: (state: From, event: E) => boolean] | undefined
  readonly next: (state: From, event: E) => To
  /** `next` is the state that the row leads to. */
  readonly effects?: ((state: From, event: E, next: To) => readonly F[]) | undefined
}

/** Makes the row constructor of one machine. */
export function rowsOf<S extends { readonly name: string }, E extends { readonly type: string }, F>() {
  return <From extends S['name'], On extends E['type'], To extends S['name']>(
    on: On,
    spec: { readonly from: readonly From[]; readonly to: To } & RowSpec<
      Named<S, From>,
      Named<S, To>,
      Typed<E, On>,
      F
    >,
  ): TableRow<S, E, F> => ({
    from: spec.from,
    on,
    when: spec.when?.[0],
    to: spec.to,
    test: (state, event) => spec.when?.[1](state as Named<S, From>, event as Typed<E, On>) ?? true,
    step: (state, event) => {
      const next = spec.next(state as Named<S, From>, event as Typed<E, On>)
      return [next, spec.effects?.(state as Named<S, From>, event as Typed<E, On>, next) ?? []]
    },
  })
}

/** Runs a table. An event without a row leaves the state as it is, without effects. */
export function runTable<S extends { readonly name: string }, E extends { readonly type: string }, F>(
  table: readonly TableRow<S, E, F>[],
  state: S,
  event: E,
): readonly [S, readonly F[]] {
  const row = table.find(
    (candidate) =>
      candidate.on === event.type && candidate.from.includes(state.name) && candidate.test(state, event),
  )
  return row === undefined ? [state, []] : row.step(state, event)
}

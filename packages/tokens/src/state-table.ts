/**
 * State machines as transition tables. Each row names an event, the states in which it applies and the states after
 * it.
 *
 * The table is data: diagrams and reference pages are made from it, and tests iterate over it.
 */

/** A row: this event leads from each of the `from` states to one of the `to` states. */
export interface TransitionRow<State extends string = string> {
  /** The states in which the event applies. */
  readonly from: readonly State[]
  /** The type of the event. */
  readonly on: string
  /** The condition in words; `undefined` if there is none. */
  readonly when: string | undefined
  /** The states after the event. Empty if the stored value changes but its state does not. */
  readonly to: readonly State[]
}

/** A condition. Its description is kept separately, because only the diagrams need it. */
export type When<Stored, Event> = (stored: Stored, event: Event) => boolean

/** A row with its condition and its effect. */
interface TableRow<Stored, State extends string, Event> extends Omit<TransitionRow<State>, 'when'> {
  readonly when: When<Stored, Event> | undefined
  readonly next: (stored: Stored, event: Event) => Stored
}

type EventOf<Event, On> = Extract<Event, { readonly type: On }>

/** Creates the function that builds the rows of one machine. */
export function createRowBuilder<Stored, State extends string, Event extends { readonly type: string }>() {
  return <On extends Event['type']>(
    on: On,
    from: readonly State[],
    to: readonly State[],
    next: (stored: Stored, event: EventOf<Event, On>) => Stored,
    when?: When<Stored, EventOf<Event, On>>,
  ) => ({ on, from, to, next, when }) as unknown as TableRow<Stored, State, Event>
}

/**
 * Applies an event. The first matching row decides; without a matching row, `stored` is returned unchanged.
 */
export function applyEvent<Stored, State extends string, Event extends { readonly type: string }>(
  table: readonly TableRow<Stored, State, Event>[],
  state: State,
  stored: Stored,
  event: Event,
): Stored {
  const row = table.find(
    ({ on, from, when }) => on === event.type && from.includes(state) && (when?.(stored, event) ?? true),
  )
  return row === undefined ? stored : row.next(stored, event)
}

/** Returns the table as data. @param words - The description of each condition. */
export function describeTransitions<Stored, State extends string, Event>(
  table: readonly TableRow<Stored, State, Event>[],
  words: ReadonlyMap<unknown, string>,
): readonly TransitionRow<State>[] {
  return table.map(({ from, on, when, to }) => ({ from, on, when: words.get(when), to }))
}

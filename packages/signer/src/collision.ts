/** Where a query name equals a signed header: the specification sorts the values, the public clients put the header first. */

/** How a query name that equals a signed header's shares its entry. */
export type HeaderCollision = 'sorted' | 'header-first'

/** Whether such values are sorted, by the option's name for it. */
export const COLLISIONS: Readonly<Record<HeaderCollision, boolean>> = { sorted: true, 'header-first': false }

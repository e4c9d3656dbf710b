/** Where a query name equals a signed header: the specification sorts the values, the public clients put the header first. */

/** How a query name that equals a signed header's shares its entry. */
export type HeaderCollision = 'sorted' | 'header-first'

/** All of them, the default first. */
export const COLLISIONS: readonly HeaderCollision[] = ['sorted', 'header-first']

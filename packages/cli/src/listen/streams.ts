/** Which streams there are to follow, for the definitions of commands and for what runs them. */

/** Streams of events, which are recorded, too. */
export const EVENT_STREAMS = ['trade', 'position', 'account', 'module'] as const

/** A stream of events. */
export type EventStream = (typeof EVENT_STREAMS)[number]

/** All that `listen` follows. */
export const LISTEN_STREAMS = [...EVENT_STREAMS, 'quotes'] as const

/** Names of the streams to listen to, for definitions and implementations of commands. */

/** Event streams, which can also be recorded. */
export const EVENT_STREAMS = ['trade', 'position', 'account', 'module'] as const

/** Name of an event stream. */
export type EventStream = (typeof EVENT_STREAMS)[number]

/** All streams of `listen`. */
export const LISTEN_STREAMS = [...EVENT_STREAMS, 'quotes'] as const

/** The dimensions that groups of cases share. */

/** Kinds of calls. A half-duplex call responds after the end of the request, a full-duplex call to each message at once. */
export const KINDS = ['unary', 'server-stream', 'client-stream', 'half-duplex', 'full-duplex'] as const
export type Kind = (typeof KINDS)[number]

export const CODINGS = ['identity', 'gzip', 'br'] as const
export type Coding = (typeof CODINGS)[number]

export const CONNECTIONS = ['plain', 'tls'] as const
export type Connection = (typeof CONNECTIONS)[number]

/** Whether a request may have more than one message. */
export const streamsOut = (kind: Kind): boolean => kind !== 'unary' && kind !== 'server-stream'

/** Whether a response may have more than one message. */
export const streamsBack = (kind: Kind): boolean => kind !== 'unary' && kind !== 'client-stream'

/** The dimensions that groups of cases share. */

/** Types of calls. A half-duplex one answers when the request is over, a full-duplex one each message at once. */
export const KINDS = ['unary', 'server-stream', 'client-stream', 'half-duplex', 'full-duplex'] as const
export type Kind = (typeof KINDS)[number]

export const CODINGS = ['identity', 'gzip', 'br'] as const
export type Coding = (typeof CODINGS)[number]

export const CONNECTIONS = ['plain', 'tls'] as const
export type Connection = (typeof CONNECTIONS)[number]

/** Whether a call asks with any number of messages. */
export const streamsOut = (kind: Kind): boolean => kind !== 'unary' && kind !== 'server-stream'

/** Whether a call answers with any number of messages. */
export const streamsBack = (kind: Kind): boolean => kind !== 'unary' && kind !== 'client-stream'

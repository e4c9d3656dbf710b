/** The errors of reading and writing progress records in a store. */
import { StreamsError } from '../streams-error.ts'

/** Creates the error of a store that failed. @param reason - The text after the subject of the message. */
export function storeFailed(
  operation: 'read' | 'write',
  cause: unknown,
  reason = cause instanceof Error ? cause.message : String(cause),
): StreamsError {
  const subject =
    operation === 'read' ? 'reading a cursor from the store failed' : 'writing a cursor to the store failed'
  return new StreamsError('STREAM_STORE_FAILED', `${subject}: ${reason}`, {
    details: { operation },
    retryable: true,
    cause,
  })
}

/** Creates the error of a record that another consumer wrote. @param name - The event type, or the name of the stream. */
export function cursorConflict(name: string): StreamsError {
  const text = `another consumer commits the cursor of ${name}: give each consumer its own name (option "consumer")`
  return new StreamsError('STREAM_CURSOR_CONFLICT', text, { details: { eventType: name } })
}

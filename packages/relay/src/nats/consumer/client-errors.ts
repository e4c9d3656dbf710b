/** Classification of the NATS client's errors: transient or not. */

/** JetStream's error number for a consumer that does not exist. */
export const CONSUMER_NOT_FOUND = 10014

/** The stream's leader temporarily has fewer messages than were handled. */
export class LeaderBehindError extends Error {
  override readonly name = 'LeaderBehindError'
}

/**
 * Names of errors of an unavailable server or leader. They are compared by name, because a class may be
 * loaded more than once.
 */
const TRANSIENT = new Set([
  'NoRespondersError',
  'RequestError',
  'TimeoutError',
  'JetStreamError',
  'JetStreamNotEnabled',
  'JetStreamStatusError',
  'LeaderBehindError',
])
const SERVER_ERRORS = 500

/** Whether another attempt can succeed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isServerError = 'status' in error && Number(error.status) >= SERVER_ERRORS
  return TRANSIENT.has(error.name) || isServerError
}

/** The error number of JetStream, if the error has one. */
export function errorNumber(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'number' ? error.code : undefined
}

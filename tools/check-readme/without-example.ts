/**
 * Functions that a README names and whose example is still to be written. The list may only become shorter: a row whose
 * function has an example is an error.
 */
export const WITHOUT_EXAMPLE: readonly string[] = [
  '@brokerwire/streams/diagnostics: diagnosticsObserver',
  '@brokerwire/streams/transport: createStreamClient',
  '@brokerwire/streams/transport: createStreamTransport',
  '@brokerwire/streams: subscribe',
]

/** Hints of the log line `sink.waiting`: what to check if the server of a sink rejects the relay's authentication. */
import type { RelaySinkConfig } from '@brokerwire/relay'

const REJECTED =
  /\bstatus 40[13]\b|unauthori[sz]ed|authori[sz]ation|authentication|permissions? (?:violation|denied)/i

const HINTS: Readonly<Partial<Record<RelaySinkConfig['type'], string>>> = {
  webhook:
    'compare the secret in sink.secret with the secret of the receiver, and the clocks of both; a proxy of the receiver may reject requests too',
  jetstream: 'check sink.credentials, and that their user may publish to the stream and use its API',
}
const OTHER = 'check the credentials of the sink, and the rights of their user'

/** Returns the hint; `undefined` if the reason is no rejected authentication. */
export function sinkHint(type: RelaySinkConfig['type'], reason: string): string | undefined {
  return REJECTED.test(reason) ? (HINTS[type] ?? OTHER) : undefined
}

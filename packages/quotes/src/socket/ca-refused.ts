/** Where the host's authorities are the only ones, others are refused: a connection without them would be trusted by mistake. */
import { optionInvalid, type QuotesError } from '../quotes-error.ts'

export const caRefused = (): QuotesError =>
  optionInvalid('tls.ca', 'none: authorities are chosen over TCP on Node, Deno and Bun alone', 'certificates')

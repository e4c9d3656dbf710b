/** The observer of the composition: one object for HTTP and tokens. */
import type { HttpObserver } from '@brokerwire/http'
import { HTTP_OBSERVER } from '@brokerwire/http/internal'
import type { TokensObserver } from '@brokerwire/tokens'
import { TOKENS_OBSERVER } from '@brokerwire/tokens/internal'

/** An observer of HTTP requests and tokens. Every function is optional. */
export interface EdgeObserver extends HttpObserver, TokensObserver {}

/** The names of the functions of {@link EdgeObserver}. */
export const EDGE_OBSERVER = { ...HTTP_OBSERVER, ...TOKENS_OBSERVER } as const

/** Number of brokerages that were created without a name. */
let unnamed = 0

/** Returns the default of the option `clientId`. */
export function nextClientId(): string {
  unnamed += 1
  return `brokerage-${unnamed}`
}

/** What signs and sends, composed: endpoint, signer, and the options of the HTTP client. Without tokens. */
import { type Clock, type SecretInput, type ServerClock, systemClock } from '@brokerwire/core'
import { type EndpointOptions, resolveEndpoint } from '@brokerwire/core/endpoints'
import { coreOptionFailure, requireOptions } from '@brokerwire/core/internal'
import type { HttpClientOptions } from '@brokerwire/http'
import { createSigner, type SignerOptions } from '@brokerwire/signer'

/** What every composition needs to sign and to send. */
export interface SigningOptions extends EndpointOptions {
  readonly appKey: string
  readonly appSecret: SecretInput
  /** @defaultValue `systemClock` */
  readonly clock?: Clock | undefined
  /** Details of the signature. The algorithms come from the endpoint table: `overrides` changes them. */
  readonly signing?: Pick<SignerOptions, 'headerCollision' | 'nameOrder' | 'crypto'> | undefined
  readonly http?:
    | Omit<
        HttpClientOptions,
        'baseUrl' | 'allowInsecure' | 'signer' | 'accessTokens' | 'serverClock' | 'clock'
      >
    | undefined
}

export const fail = coreOptionFailure('OPTION_INVALID')

/** Their names. */
export const SIGNING_OPTIONS = {
  region: 1,
  environment: 1,
  overrides: 1,
  allowInsecure: 1,
  appKey: 1,
  appSecret: 1,
  clock: 1,
  signing: 1,
  http: 1,
} as const satisfies { readonly [Name in keyof SigningOptions]-?: 1 }

// What the composition sets is not among them: it would be lost without a word.
const HTTP_OPTIONS = {
  apiVersion: 1,
  apiVersions: 1,
  fetch: 1,
  random: 1,
  timeoutMs: 1,
  maxResponseBytes: 1,
  maxRepeats: 1,
  maxRepeatDelayMs: 1,
  observer: 1,
} as const satisfies { readonly [Name in keyof NonNullable<SigningOptions['http']>]-?: 1 }

/**
 * Composes. The names in `options` are checked by its caller, which knows all of them.
 *
 * @param serverClockOf - Gives the service's clock, if there is one. Not made here: a bundle would hold it for everybody.
 * @throws The error of the package whose option is wrong.
 */
export function signing<Known extends ServerClock | undefined>(
  options: SigningOptions,
  serverClockOf: (clock: Clock) => Known,
) {
  const { region, environment, overrides, allowInsecure, appKey, appSecret, clock = systemClock } = options
  // `null` in the place of a group is no group.
  const details = requireOptions(fail, 'signing', options.signing ?? {}, {
    headerCollision: 1,
    nameOrder: 1,
    crypto: 1,
  })
  const http = requireOptions(fail, 'http', options.http ?? {}, HTTP_OPTIONS)
  const endpoint = resolveEndpoint({ region, environment, overrides, allowInsecure })
  const serverClock = serverClockOf(clock)
  const signer = createSigner({
    ...details,
    appKey,
    appSecret,
    algorithm: endpoint.algorithm,
    streamAlgorithm: endpoint.streamAlgorithm,
    now: () => (serverClock ?? clock).now(),
  })
  const httpOptions: HttpClientOptions = {
    ...http,
    baseUrl: endpoint.httpUrl,
    allowInsecure,
    signer,
    serverClock,
    clock,
  }
  return { endpoint, signer, serverClock, clock, httpOptions }
}

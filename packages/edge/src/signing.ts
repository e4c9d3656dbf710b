/** Composes the endpoint, the signer and the options of the HTTP client, without tokens. */
import type { Clock, SecretInput, ServerClock } from '@brokerwire/core'
import { type EndpointOptions, requireUrl, resolveEndpoint } from '@brokerwire/core/endpoints'
import {
  clock,
  coreOptionFailure,
  ENDPOINT_OPTIONS,
  type FieldsOf,
  type InferFields,
  object,
  omit,
} from '@brokerwire/core/internal'
import type { HttpClientOptions } from '@brokerwire/http'
import { HTTP_CLIENT_OPTIONS } from '@brokerwire/http/internal'
import { createSigner, type SignerOptions } from '@brokerwire/signer'
import { SIGNER_OPTIONS } from '@brokerwire/signer/internal'

/** Options of all compositions that sign and send requests. */
export interface SigningOptions extends EndpointOptions {
  /** App key from the service. */
  readonly appKey: string
  /** App secret from the service. It is never sent or logged. */
  readonly appSecret: SecretInput
  /** Source of the time and of timers. @defaultValue `systemClock` */
  readonly clock?: Clock | undefined
  /**
   * Name of the composition in reports to the observer. @defaultValue `brokerage-1`, `brokerage-2` and so on, in the order of creation;
   * `http-1` and so on in `@brokerwire/edge/stored-token`
   */
  readonly clientId?: string | undefined
  /** Details of the signature. The algorithms come from the endpoint table, and `overrides` changes them. */
  readonly signing?: Pick<SignerOptions, 'headerCollision' | 'nameOrder' | 'crypto'> | undefined
  /**
   * Options of the HTTP client, except those that the composition sets itself. @defaultValue those of the
   * package
   */
  readonly http?:
    | Omit<
        HttpClientOptions,
        | 'baseUrl'
        | 'allowInsecure'
        | 'signer'
        | 'accessTokens'
        | 'serverClock'
        | 'clock'
        | 'clientId'
        | 'observer'
      >
    | undefined
}

export const fail = coreOptionFailure('OPTION_INVALID')

const { headerCollision, nameOrder, crypto } = SIGNER_OPTIONS

/**
 * Schemas of {@link SigningOptions}. The schemas of `signing` and `http` do not contain options that the
 * composition sets itself.
 */
export const SIGNING_OPTIONS = {
  ...ENDPOINT_OPTIONS,
  appKey: SIGNER_OPTIONS.appKey,
  appSecret: SIGNER_OPTIONS.appSecret,
  clock,
  clientId: HTTP_CLIENT_OPTIONS.clientId,
  signing: object({ headerCollision, nameOrder, crypto }, {}),
  http: object(
    omit(
      HTTP_CLIENT_OPTIONS,
      'baseUrl',
      'allowInsecure',
      'signer',
      'accessTokens',
      'serverClock',
      'clock',
      'clientId',
      'observer',
    ),
    {},
  ),
} satisfies FieldsOf<SigningOptions>

/** Signing options after validation. */
export type SigningSettings = InferFields<typeof SIGNING_OPTIONS>

/**
 * Composes endpoint, signer and HTTP options.
 *
 * @param serverClockOf - Returns the service's clock; `undefined` if it is not used. A bundle that does not
 * use this clock does not contain it.
 * @throws CoreError `ENDPOINT_INVALID` for insecure overrides.
 */
export function signing<Known extends ServerClock | undefined>(
  options: SigningSettings,
  serverClockOf: (clock: Clock) => Known,
) {
  const { region, environment, endpoints, overrides, allowInsecure, appKey, appSecret, clock } = options
  const endpoint = resolveEndpoint({ region, environment, endpoints, overrides, allowInsecure })
  const serverClock = serverClockOf(clock)
  const signer = createSigner({
    ...options.signing,
    appKey,
    appSecret,
    algorithm: endpoint.algorithm,
    streamAlgorithm: endpoint.streamAlgorithm,
    now: () => (serverClock ?? clock).now(),
  })
  const httpOptions: HttpClientOptions = {
    ...options.http,
    baseUrl: requireUrl(endpoint, 'baseUrl'),
    allowInsecure,
    signer,
    serverClock,
    clock,
  }
  return { endpoint, signer, serverClock, httpOptions }
}

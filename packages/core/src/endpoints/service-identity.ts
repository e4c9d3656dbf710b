/**
 * The service and app key that tokens, rate limit windows and cursors belong to. Two hosts never share a
 * record, even if they have the same region, environment and app key: otherwise the response of a test server
 * could end a production token.
 */
import { coreOptionFailure } from '../core-error.ts'
import { origin } from '../options/origin.ts'
import { type FieldsOf, object, optional, readOptions, type Schema, string } from '../options/schema.ts'
import type { Endpoint } from './resolve.ts'
import { ENDPOINTS, type EndpointTable } from './table.ts'

/** The result of {@link createServiceIdentity}: plain data. */
export interface ServiceIdentity {
  /**
   * Environment of the service. In `'production'` a new token needs a second factor from a person, in
   * `'sandbox'` it does not. Other values count as production.
   */
  readonly environment: string
  /** Region of the service, for example `'us'`. */
  readonly region: string
  /** App key that the records belong to. */
  readonly appKey: string
  /** Origin of the HTTP endpoints, if it is known. Tokens need it. */
  readonly baseUrl?: string | undefined
  /** Origin of the trade and position event streams, if it is known. */
  readonly eventsUrl?: string | undefined
  /** Origin of the module event stream, if it is known. */
  readonly moduleEventsUrl?: string | undefined
  /**
   * Whether all addresses are those of the table. If `true`, records that earlier versions stored without an
   * origin are used too.
   * @defaultValue false
   */
  readonly hasTableAddresses?: boolean | undefined
}

/** A string that is allowed in an HTTP header, because the app key is sent in a header. */
const part = string({ pattern: /^[\x21-\x7e]{1,256}$/, expected: '1 to 256 visible ASCII characters' })

/** Schema of {@link ServiceIdentity}. */
export const serviceIdentity: Schema<ServiceIdentity> = object({
  environment: part,
  region: part,
  appKey: part,
  baseUrl: optional(origin),
  eventsUrl: optional(origin),
  moduleEventsUrl: optional(origin),
  hasTableAddresses: (value) => value === true,
} satisfies FieldsOf<ServiceIdentity>)

/**
 * Returns the identity of an app key at an endpoint. Two hosts never share a record of a store, even under one app key, so a
 * test server cannot end a production token.
 *
 * @throws {@link CoreError} `ENDPOINT_INVALID` if the app key does not fit into an HTTP header.
 *
 * @example
 * ```ts
 * import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
 *
 * const endpoint = resolveEndpoint({ region: 'us', environment: 'sandbox' })
 * const identity = createServiceIdentity(endpoint, 'my-app-key')
 * console.log(identity.baseUrl)
 * ```
 */
export function createServiceIdentity(endpoint: Endpoint, appKey: string): ServiceIdentity {
  const { environment, region, baseUrl, eventsUrl, moduleEventsUrl } = endpoint
  const table = (ENDPOINTS as EndpointTable)[region]?.[environment]
  const hasTableAddresses =
    table !== undefined &&
    (['baseUrl', 'eventsUrl', 'moduleEventsUrl', 'mqttUrl', 'mqttWebSocketUrl'] as const).every(
      (name) => table[name] === undefined || table[name] === endpoint[name],
    )
  const { appKey: checked } = readOptions(coreOptionFailure('ENDPOINT_INVALID'), { appKey }, { appKey: part })
  return {
    environment,
    region,
    appKey: checked,
    baseUrl,
    eventsUrl,
    moduleEventsUrl,
    hasTableAddresses,
  }
}

/**
 * Returns the key of a record: its kind, the identity's environment, region, app key and HTTP origin, and other parts that
 * distinguish records of the same kind.
 *
 * @example
 * `access-token/production/us/my-app-key/https%3A%2F%2Fapi.webull.com`
 */
export function recordKey(
  kind: string,
  { environment, region, appKey, baseUrl = '' }: ServiceIdentity,
  ...rest: readonly string[]
): string {
  return [kind, environment, region, appKey, baseUrl, ...rest].map(encodeURIComponent).join('/')
}

/** Returns the key of the same record in earlier versions, whose keys contain no origin. */
export function oldRecordKey(
  kind: string,
  { environment, region, appKey }: ServiceIdentity,
  ...rest: readonly string[]
): string {
  return [kind, environment, region, appKey, ...rest].map(encodeURIComponent).join('/')
}

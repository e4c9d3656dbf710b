/**
 * The hosts of the service as data. Source: facts on public clients and documents ("Hosts"); never tried from here.
 *
 * `undefined` is an address that no source names. Every entry can be overridden by the caller, algorithms included.
 */

/** HMAC of a signature together with the digest of the body: SHA-1 with MD5, or SHA-256 with SHA-256. */
export type SignatureAlgorithm = 'HMAC-SHA1' | 'HMAC-SHA256'

/** Region identifiers of the service. */
export type Region = 'hk' | 'us'

/** The sandbox creates usable tokens at once; production needs a person with the broker's app. */
export type Environment = 'sandbox' | 'production'

/** Where one region and environment is reached, and how requests to it are signed. */
export interface EndpointEntry {
  /** Origin of the HTTP endpoints: scheme, host and, unless it is the default, port. */
  readonly httpUrl: string
  /** Origin of the trade and position event streams. */
  readonly eventsUrl: string
  /** Origin of the module event stream: a host of its own. */
  readonly moduleEventsUrl: string | undefined
  /** Address of market data over MQTT: `mqtts://host:port`. It belongs to `httpUrl`: one is never taken without the other. */
  readonly mqttUrl: string | undefined
  /** The same over WebSocket. */
  readonly mqttWebSocketUrl: string | undefined
  /** Algorithm of HTTP signatures. */
  readonly algorithm: SignatureAlgorithm
  /** Algorithm of stream signatures. */
  readonly streamAlgorithm: SignatureAlgorithm
}

/** The hosts under one domain. */
const under = (domain: string, algorithm: SignatureAlgorithm, hasModuleEvents = true): EndpointEntry => ({
  httpUrl: `https://api.${domain}`,
  eventsUrl: `https://events-api.${domain}`,
  moduleEventsUrl: hasModuleEvents ? `https://broker-api-event-push.${domain}` : undefined,
  mqttUrl: `mqtts://data-api.${domain}:1883`,
  mqttWebSocketUrl: `wss://data-api.${domain}:8883/mqtt`,
  algorithm,
  streamAlgorithm: 'HMAC-SHA256',
})

/** Every region and environment. */
export const ENDPOINTS: Readonly<Record<Region, Readonly<Record<Environment, EndpointEntry>>>> = {
  us: {
    production: under('webull.com', 'HMAC-SHA1'),
    sandbox: under('sandbox.webull.com', 'HMAC-SHA256', false),
  },
  hk: {
    production: under('webull.hk', 'HMAC-SHA1'),
    sandbox: under('sandbox.webull.hk', 'HMAC-SHA1'),
  },
}

/** The servers of the AsyncAPI document, from the endpoint table, and their security. */
import { ENDPOINTS, type EndpointEntry } from '@brokerwire/core/endpoints'
import type { Json } from './json-schema.ts'

/** Addresses of an entry by the name that a server's name ends with. */
const SERVERS = {
  events: ['eventsUrl', 'grpc', 'Trade and position events.'],
  'module-events': ['moduleEventsUrl', 'grpc', 'Module events.'],
  mqtt: ['mqttUrl', 'secure-mqtt', 'Market data over MQTT 3.1.1 and TLS.'],
  'mqtt-websocket': ['mqttWebSocketUrl', 'wss', 'Market data over MQTT 3.1.1 and WebSocket.'],
} as const satisfies Readonly<Record<string, readonly [address: keyof EndpointEntry, ...string[]]>>

export type ServerKind = keyof typeof SERVERS

const isGrpc = (kind: ServerKind): boolean => SERVERS[kind][1] === 'grpc'

/** The servers of each region and environment. */
export function servers(): Json {
  const found: Record<string, Json> = {}
  for (const [region, environments] of Object.entries(ENDPOINTS)) {
    for (const [environment, entry] of Object.entries(environments)) {
      for (const kind of Object.keys(SERVERS) as ServerKind[]) {
        const [address, protocol, description] = SERVERS[kind]
        const url = entry[address]
        if (url === undefined) continue
        const { host, pathname } = new URL(url)
        found[`${region}-${environment}-${kind}`] = {
          host,
          ...(protocol === 'wss' && { pathname }),
          protocol,
          description: `${description} Region ${region}, ${environment}.`,
          security: [
            { $ref: `#/components/securitySchemes/${isGrpc(kind) ? 'streamSignature' : 'mqttUser'}` },
          ],
          ...(!isGrpc(kind) && { bindings: { mqtt: { cleanSession: true } } }),
        }
      }
    }
  }
  return found
}

/** References to the servers of these kinds. */
export function serverReferences(all: Json, ...kinds: readonly ServerKind[]): Json[] {
  return Object.keys(all)
    .filter((name) => kinds.some((kind) => name.endsWith(`-${kind}`) && !name.endsWith(`-module-${kind}`)))
    .map((name) => ({ $ref: `#/servers/${name}` }))
}

export const SECURITY_SCHEMES: Json = {
  streamSignature: {
    type: 'httpApiKey',
    in: 'header',
    name: 'x-signature',
    description:
      'The signature of the serialized request message, in the metadata of the call, with the other headers of StreamMetadata.',
  },
  mqttUser: {
    type: 'userPassword',
    description:
      'The user name is the app key. The service accepts any password: do not send a secret. The client id is the session id of the subscribe call.',
  },
}

/** Parsing of the option `mqttUrl`: `mqtts://host:1883` for TCP, `wss://host:8883/mqtt` for WebSocket. */
import { type OptionFailure, readOrigin, typeName } from '@brokerwire/core/internal'

/** A parsed MQTT address. */
export interface MqttAddress {
  /** Transport of the connection. */
  readonly transport: 'tcp' | 'websocket'
  /** Whether TLS is used. */
  readonly secure: boolean
  /** `host:port`; without the port if it is the default port of the scheme. */
  readonly host: string
  /** Host name or IP address, without brackets. */
  readonly hostname: string
  /** Port number, also if it is the default port of the scheme. */
  readonly port: number
  /** Path of the WebSocket, `/mqtt` by default. Not used for TCP. */
  readonly path: string
}

const SCHEME = /^(mqtts?|wss?):\/\/([^/?#]*)(.*)$/i
const PATH = /^(?:\/[\w.~!$&'()*+,;=:@/%-]*)?$/
const HOST_AND_PORT = /^(.*?)(?::(\d+))?$/
const EXPECTED = 'an address such as mqtts://host:1883 or wss://host:8883/mqtt'

/**
 * @param value - `mqtts:` and `mqtt:` need a port; `wss:` and `ws:` have a path, by default `/mqtt`. `mqtt:` and `ws:` are
 * cleartext: allowed on a loopback host, or anywhere with `allowInsecure`.
 * @throws The error of `fail`.
 */
export function parseMqttAddress(
  fail: OptionFailure,
  option: string,
  value: unknown,
  allowInsecure: boolean | undefined,
): MqttAddress {
  const expected = `${EXPECTED}; mqtt: and ws: only on a loopback host, or with allowInsecure: true`
  const parts = typeof value === 'string' ? SCHEME.exec(value) : null
  if (parts === null)
    throw fail(option, expected, typeof value === 'string' ? 'another string' : typeName(value))
  const [, scheme = '', authority = '', rest = ''] = parts
  const transport = scheme.toLowerCase().startsWith('mqtt') ? 'tcp' : 'websocket'
  // A check for a final s is not enough, because `ws` ends with an s too.
  const secure = /^(?:mqtts|wss)$/i.test(scheme)
  const isPath = PATH.test(rest) && (transport === 'websocket' || rest === '' || rest === '/')
  if (!isPath) throw fail(option, expected, 'an address with another path, a query or a fragment')
  // readOrigin() validates the host and the use of cleartext.
  const origin = readOrigin(
    (failed, wanted, received) =>
      failed === option ? fail(option, expected, received) : fail(failed, wanted, received),
    option,
    `${secure ? 'https' : 'http'}://${authority}`,
    allowInsecure,
  )
  const host = origin.slice(origin.indexOf('//') + 2)
  const [, name = host, port] = HOST_AND_PORT.exec(host) ?? []
  // readOrigin() removes 443 and 80 as default ports; MQTT over TCP has no default port.
  if (transport === 'tcp' && port === undefined && !/:\d+$/.test(authority)) {
    throw fail(option, expected, 'an address without a port')
  }
  return {
    transport,
    secure,
    host,
    hostname: name.replace(/^\[(.*)\]$/, '$1'),
    port: port === undefined ? (secure ? 443 : 80) : Number(port),
    path: rest === '' || rest === '/' ? '/mqtt' : rest,
  }
}

/** Where the MQTT connection goes, as an option: `mqtts://host:1883` over TCP, `wss://host:8883/mqtt` over WebSocket. */
import { describe, type OptionFailure, readOrigin } from '@brokerwire/core/internal'

/** An address, read. */
export interface MqttAddress {
  readonly transport: 'tcp' | 'websocket'
  /** TLS. Without it only where clear text is allowed. */
  readonly secure: boolean
  /** `host:port`, the port only where it is not the scheme's own. */
  readonly host: string
  /** Without brackets. */
  readonly hostname: string
  readonly port: number
  /** With WebSocket. */
  readonly path: string
}

const SCHEME = /^(mqtts?|wss?):\/\/([^/?#]*)(.*)$/i
const PATH = /^(?:\/[\w.~!$&'()*+,;=:@/%-]*)?$/
const HOST_AND_PORT = /^(.*?)(?::(\d+))?$/
const EXPECTED = 'an address such as mqtts://host:1883 or wss://host:8883/mqtt'

/**
 * @param value - `mqtts:` and `mqtt:` with a port, `wss:` and `ws:` with a path, `/mqtt` where it has none. `mqtt:` and `ws:`
 * are clear text: on a loopback host, or anywhere with `allowInsecure`.
 * @throws What `fail` makes.
 */
export function readMqttAddress(
  fail: OptionFailure,
  option: string,
  value: unknown,
  allowInsecure: boolean | undefined,
): MqttAddress {
  const expected = `${EXPECTED}; mqtt: and ws: only on a loopback host, or with allowInsecure: true`
  const parts = typeof value === 'string' ? SCHEME.exec(value) : null
  if (parts === null)
    throw fail(option, expected, typeof value === 'string' ? 'another text' : describe(value))
  const [, scheme = '', authority = '', rest = ''] = parts
  const transport = scheme.toLowerCase().startsWith('mqtt') ? 'tcp' : 'websocket'
  // `ws` ends with an s as well.
  const secure = /^(?:mqtts|wss)$/i.test(scheme)
  const isPath = PATH.test(rest) && (transport === 'websocket' || rest === '' || rest === '/')
  if (!isPath) throw fail(option, expected, 'an address with another path, a query or a fragment')
  // The house's reader of origins decides what a host is, and where clear text may go.
  const origin = readOrigin(
    (failed, wanted, received) =>
      failed === option ? fail(option, expected, received) : fail(failed, wanted, received),
    option,
    `${secure ? 'https' : 'http'}://${authority}`,
    allowInsecure,
  )
  const host = origin.slice(origin.indexOf('//') + 2)
  const [, name = host, port] = HOST_AND_PORT.exec(host) ?? []
  // 443 and 80 are cut off as an origin's own ports; MQTT over TCP has no port of that kind.
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

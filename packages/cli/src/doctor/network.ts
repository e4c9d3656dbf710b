/** Checks of the network: DNS, TCP, TLS and HTTP/2. */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { abortable, type HttpProxy } from '@brokerwire/core/internal'
import { openTunnel } from '@brokerwire/core/proxy/internal'
import { type CheckResult, failed, note, ok } from './finding.ts'
import { describeReason } from './reason.ts'

const getHostname = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')
const getPort = (url: URL): number => Number(url.port || (url.protocol === 'http:' ? 80 : 443))

/** Checks that the host name can be resolved. */
export async function checkDns(url: URL): Promise<CheckResult> {
  const host = getHostname(url)
  if (isIP(host) !== 0) return ok(`${host} is an address`)
  try {
    const addresses = await lookup(host, { all: true })
    return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    return failed(
      `${host}: ${describeReason(error)}`,
      'check the spelling of the host, the DNS of this machine, and VPN or proxy',
    )
  }
}

/** Waits for an event of a socket, reads its result, and destroys the socket. */
async function readOnEvent<T>(socket: Socket, event: string, signal: AbortSignal, read: () => T): Promise<T> {
  try {
    await abortable(once(socket, event), signal)
    return read()
  } finally {
    socket.destroy()
  }
}

/** Checks that the port accepts connections. */
export async function checkTcp(url: URL, signal: AbortSignal): Promise<CheckResult> {
  const socket = connectTcp({ host: getHostname(url), port: getPort(url) })
  try {
    return ok(`connected to port ${await readOnEvent(socket, 'connect', signal, () => getPort(url))}`)
  } catch (error) {
    return failed(
      `port ${getPort(url)}: ${describeReason(error)}`,
      'check the port, the firewall, and whether the service runs',
    )
  }
}

/** Checks that the proxy can be reached. */
export async function checkProxy(
  { origin, source, hostname, port }: HttpProxy,
  signal: AbortSignal,
): Promise<CheckResult> {
  const socket = connectTcp({ host: hostname, port })
  try {
    return ok(await readOnEvent(socket, 'connect', signal, () => `connected to ${origin} (${source})`))
  } catch (error) {
    return failed(
      `${origin}: ${describeReason(error)}`,
      `check that ${source} is the address of a running proxy, and that this machine can reach it`,
    )
  }
}

/** Checks that the proxy opens a tunnel. */
export async function checkTunnel(proxy: HttpProxy, url: URL, signal: AbortSignal): Promise<CheckResult> {
  const [hostname, port] = [getHostname(url), getPort(url)]
  try {
    const tunnel = await openTunnel({ proxy, hostname, port, signal })
    tunnel.destroy()
    return ok(`CONNECT ${hostname}:${port} accepted`)
  } catch (error) {
    // The second sentence of the message is the next step.
    const [text = '', next = 'try again'] = describeReason(error).split(/\. (?=[A-Z])/)
    return failed(text, next)
  }
}

/** Checks the certificate, and for streams HTTP/2. */
export async function checkTls(
  url: URL,
  needsHttp2: boolean,
  signal: AbortSignal,
  proxy?: HttpProxy | undefined,
): Promise<CheckResult> {
  if (url.protocol === 'http:') return note('clear text: no certificate; HTTP/2 with prior knowledge')
  const [host, port] = [getHostname(url), getPort(url)]
  const tunnel = proxy && ((await openTunnel({ proxy, hostname: host, port, signal })) as Socket)
  const socket = connectTls({
    host,
    port,
    ...(tunnel && { socket: tunnel }),
    ALPNProtocols: needsHttp2 ? ['h2'] : ['h2', 'http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
  })
  try {
    const found = await readOnEvent(socket, 'secureConnect', signal, () => ({
      protocol: socket.getProtocol(),
      alpn: socket.alpnProtocol,
      until: socket.getPeerCertificate().valid_to,
    }))
    if (needsHttp2 && found.alpn !== 'h2')
      return failed(
        'no HTTP/2 by ALPN',
        'check the proxies on the way: one that supports only HTTP/1.1 cannot carry event streams',
      )
    return ok(`${found.protocol}, ${found.alpn || 'no ALPN'}, certificate until ${found.until}`)
  } catch (error) {
    const next =
      'check the clock, and proxies that intercept TLS; set NODE_EXTRA_CA_CERTS for your own certificate authority'
    return failed(describeReason(error), next)
  }
}

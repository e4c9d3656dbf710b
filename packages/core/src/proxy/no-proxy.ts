/**
 * The list of hosts that are reached without a proxy, in the forms that curl and Go support. Entries are
 * separated by commas or white space:
 * - `*`: every host
 * - `example.com`, `.example.com`, `*.example.com`: this host and all hosts below it
 * - `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]`: an address
 * - `10.0.0.0/8`, `fd00::/8`: a range of addresses
 * - a host or an address with a port, `example.com:8443`: only this port
 *
 * Names are not resolved, so an address in the list does not match a name that resolves to it.
 */
import { BlockList, isIP } from 'node:net'

/**
 * Whether the list contains a host.
 *
 * @param hostname - Host name in lower case, without brackets.
 */
export function isInNoProxy(list: string, hostname: string, port: number): boolean {
  const entries = list.toLowerCase().split(/[\s,]+/)
  return entries.some((entry) => entry !== '' && matches(entry, hostname, port))
}

const HOST_AND_PORT = /^(\[.*\]|[^:]*)(?::(\d+))?$/

function matches(entry: string, hostname: string, port: number): boolean {
  if (entry.includes('/')) return isInRange(entry, hostname)
  // An IPv6 address without brackets does not match the pattern. Such an entry has no port.
  const [, host = entry, onlyPort] = HOST_AND_PORT.exec(entry) ?? []
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false
  if (host === '*') return true
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  if (isIP(name) !== 0) return isInRange(`${name}/${isIP(name) === 4 ? 32 : 128}`, hostname)
  return name !== '' && isIP(hostname) === 0 && (hostname === name || hostname.endsWith(`.${name}`))
}

function isInRange(range: string, hostname: string): boolean {
  const [network = '', bits = ''] = range.split('/')
  const family = isIP(network) === 4 ? 'ipv4' : 'ipv6'
  if (!/^\d+$/.test(bits) || isIP(network) === 0 || isIP(hostname) !== isIP(network)) return false
  try {
    const addresses = new BlockList()
    addresses.addSubnet(network, Number(bits), family)
    return addresses.check(hostname, family)
  } catch {
    // If a range has more bits than an address, the entry matches nothing.
    return false
  }
}

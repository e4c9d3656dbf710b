/**
 * The addresses that a webhook is not sent to, unless the options allow it: loopback, link-local, private and other
 * addresses that are not public. The address that a connection uses is checked, not only the name of the host,
 * because the owner of a name can change its addresses at any time (DNS rebinding).
 */
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** IPv4 networks that are not public, by the registry of special-purpose addresses (RFC 6890). */
const NETWORKS_4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** IPv6 networks that are not public, and those of tunnels, whose addresses contain an IPv4 address. */
const NETWORKS_6: readonly (readonly [network: string, prefix: number])[] = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

/** The prefixes of IPv6 addresses that contain an IPv4 address: mapped addresses, and those of NAT64. */
const EMBEDDING = ['::ffff:', '64:ff9b::']

function createBlockList(): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of NETWORKS_4) {
    list.addSubnet(network, prefix, 'ipv4')
    for (const start of EMBEDDING) list.addSubnet(`${start}${network}`, 96 + prefix, 'ipv6')
  }
  for (const [network, prefix] of NETWORKS_6) list.addSubnet(network, prefix, 'ipv6')
  return list
}

const PRIVATE = createBlockList()

/** Whether an IP address is not public. A text that is not an address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const [withoutZone = ''] = address.split('%')
  const family = isIP(withoutZone)
  return family === 0 || PRIVATE.check(withoutZone, family === 6 ? 'ipv6' : 'ipv4')
}

/** The error of a host without a public address. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'

  constructor(host: string) {
    super(
      `${host} must have a public address, unless allowPrivateAddresses is set; received only private, loopback or link-local addresses`,
    )
  }
}

/** The resolver of the system. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Creates the function with which a socket resolves its host: it returns public addresses only.
 *
 * @param lookup - The resolver. @defaultValue the resolver of the system
 */
export function createPublicLookup(lookup: Lookup = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '')
      const addresses = found.filter(({ address }) => !isPrivateAddress(address))
      const [first] = addresses
      if (first === undefined) return callback(new PrivateAddressError(hostname), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** Throws if the host of a URL is a private address. Node resolves only names, so an address is checked here. */
export function requirePublicHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw new PrivateAddressError(host)
}

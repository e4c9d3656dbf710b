/**
 * The hosts that a signature may cover for this `Host`. The specification signs the host without the default
 * port of its scheme, but clients and proxies write it in other ways. In clear text the simulator acts as a
 * service behind TLS, so 443 is a default port too.
 */

/** Properties of the listener, and the option `hostPort`. */
export interface HostRules {
  readonly isTls: boolean
  /** Whether the signature must cover a port that is not the default port. */
  readonly hostPort: 'signed' | 'optional'
}

const PORT = /:\d*$/

/** The hosts to try. The first one is that of the specification. */
export function signedHosts(host: string, { isTls, hostPort }: HostRules): readonly string[] {
  const lower = host.toLowerCase()
  const port = PORT.exec(lower)?.[0]
  const bare = port === undefined ? lower : lower.slice(0, -port.length)
  const hosts = [lower, host]
  if (hostPort === 'optional') hosts.push(bare)
  if (port === ':443' || (port === ':80' && !isTls)) hosts.unshift(bare)
  return [...new Set(hosts)]
}

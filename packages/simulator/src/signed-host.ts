/**
 * The hosts that the signature of a request with a `Host` header may cover. According to the specification,
 * the signed host has no default port. But clients and proxies write `Host` in other ways. Without TLS the
 * simulator also acts as a service behind a TLS proxy, so 443 is a default port too.
 */

/** Properties of the listener, and the option `hostPort`. */
export interface HostRules {
  readonly isTls: boolean
  /** Whether the signature must cover a port that is not the default port. */
  readonly hostPort: 'signed' | 'optional'
}

const PORT = /:\d*$/

/** Returns the hosts to try. The first one is that of the specification. */
export function signedHosts(host: string, { isTls, hostPort }: HostRules): readonly string[] {
  const lower = host.toLowerCase()
  const port = PORT.exec(lower)?.[0]
  const bare = port === undefined ? lower : lower.slice(0, -port.length)
  const hosts = [lower, host]
  if (hostPort === 'optional') hosts.push(bare)
  if (port === ':443' || (port === ':80' && !isTls)) hosts.unshift(bare)
  return [...new Set(hosts)]
}

/**
 * Which hosts a signature may have been made over, where a request came with this `Host`.
 *
 * The specification signs a host without its scheme's default port; clients, proxies and people write it in other ways.
 * In clear text the simulator stands for a service behind TLS, so that 443 is a default port as well.
 */

/** What is known of the listener, and what is asked of clients. */
export interface HostRules {
  readonly isTls: boolean
  /** Whether a port that is no default one must have been signed. */
  readonly hostPort: 'signed' | 'optional'
}

const PORT = /:\d*$/

/** The hosts to try, the specification's first. */
export function signedHosts(host: string, { isTls, hostPort }: HostRules): readonly string[] {
  const lower = host.toLowerCase()
  const port = PORT.exec(lower)?.[0]
  const bare = port === undefined ? lower : lower.slice(0, -port.length)
  const hosts = [lower, host]
  if (hostPort === 'optional') hosts.push(bare)
  if (port === ':443' || (port === ':80' && !isTls)) hosts.unshift(bare)
  return [...new Set(hosts)]
}

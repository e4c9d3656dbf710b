/** A TCP proxy that can stop forwarding without closing: a connection that is half dead. */
import { type Forwarding, startForwarding } from '@brokerwire/testing/forward'

/** Which way nothing goes any more. */
export type Direction = 'to-client' | 'to-server'

/** The proxy. */
export interface TcpProxy extends Omit<Forwarding, 'open'> {
  /** Holds one direction of the connections that are open; new ones are not concerned. */
  hold(direction: Direction): void
  /** Forwards everything again, what was held back too. */
  release(): void
}

/** Starts a proxy on 127.0.0.1. @param target - Where it forwards to. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const forwarding = await startForwarding(target)
  const { url, open, close } = forwarding
  return {
    url,
    get connections() {
      return forwarding.connections
    },
    hold(direction) {
      for (const { client, upstream } of open) {
        const source = direction === 'to-client' ? upstream : client
        source.unpipe()
        source.pause()
      }
    },
    release() {
      for (const { client, upstream } of open) {
        client.unpipe()
        upstream.unpipe()
        client.pipe(upstream)
        upstream.pipe(client)
      }
    },
    close,
  }
}

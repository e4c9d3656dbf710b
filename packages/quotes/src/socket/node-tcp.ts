/** TCP and TLS on Node, Deno and Bun. */
import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { TcpSockets } from './port.ts'

export const tcpSockets: TcpSockets =
  ({ ca }) =>
  ({ secure, hostname, port }, events) => {
    let systemCode: string | undefined
    let isLeft = false
    const socket = secure
      ? connectTls({
          host: hostname,
          port,
          // An address is no name of a server (RFC 6066, 3).
          ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
          ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
        })
      : connectTcp({ host: hostname, port })
    socket.setNoDelay(true)
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      if (!isLeft) events.opened()
    })
    socket.on('data', (bytes: Buffer) => {
      if (!isLeft) events.received(bytes)
    })
    // The service hung up: nothing more is written.
    socket.on('end', () => socket.destroy())
    socket.on('error', ({ code }: Error & { readonly code?: string }) => {
      systemCode = code
    })
    socket.on('close', () => {
      if (!isLeft) events.closed(systemCode)
    })
    return {
      send(bytes) {
        if (socket.writable) socket.write(bytes)
      },
      end() {
        isLeft = true
        socket.end(() => socket.destroy())
      },
      destroy() {
        isLeft = true
        socket.destroy()
      },
    }
  }

/** TCP and TLS in Cloudflare Workers. */
import { connect } from 'cloudflare:sockets'
import type { TcpSockets } from './port.ts'

/** Whether `tls.ca` is supported. */
export const supportsCustomCa: boolean = false

export const tcpSockets: TcpSockets =
  (_, maxUnsentBytes) =>
  ({ secure, hostname, port }, events) => {
    let isClosed = false
    let unsentBytes = 0
    const closed = (systemCode?: string): void => {
      if (isClosed) return
      isClosed = true
      events.closed(systemCode)
    }
    const close = (): void => closed()
    const socket = connect(
      { hostname, port },
      { secureTransport: secure ? 'on' : 'off', allowHalfOpen: false },
    )
    const writer = socket.writable.getWriter()
    const read = async (): Promise<void> => {
      await socket.opened
      if (isClosed) return
      events.opened()
      const reader = socket.readable.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done || isClosed) return
        events.received(value)
      }
    }
    // Errors have no system error code in Workers, so `closed` gets none.
    read().then(close, close)
    socket.closed.then(close, close)
    const closeSocket = (): void => {
      isClosed = true
      socket.close().catch(() => {})
    }
    return {
      send(bytes) {
        if (isClosed) return
        if (unsentBytes > maxUnsentBytes) {
          closed('ENOBUFS')
          closeSocket()
          return
        }
        unsentBytes += bytes.length
        writer.write(bytes).then(() => {
          unsentBytes -= bytes.length
        }, close)
      },
      end() {
        isClosed = true
        // Pending writes are sent first.
        writer.close().then(closeSocket, closeSocket)
      },
      destroy: closeSocket,
    }
  }

/** TCP and TLS in Cloudflare Workers. */
import { connect } from 'cloudflare:sockets'
import type { TcpSockets } from './port.ts'

/** Whether `tls.ca` is looked at. */
export const takesAuthorities: boolean = false

export const tcpSockets: TcpSockets =
  (_, maxUnsentBytes) =>
  ({ secure, hostname, port }, events) => {
    let isLeft = false
    let unsentBytes = 0
    const closed = (systemCode?: string): void => {
      if (isLeft) return
      isLeft = true
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
      if (isLeft) return
      events.opened()
      const reader = socket.readable.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done || isLeft) return
        events.received(value)
      }
    }
    // What failed has no code here.
    read().then(close, close)
    socket.closed.then(close, close)
    const leave = (): void => {
      isLeft = true
      socket.close().catch(() => {})
    }
    return {
      send(bytes) {
        if (isLeft) return
        if (unsentBytes > maxUnsentBytes) {
          closed('ENOBUFS')
          leave()
          return
        }
        unsentBytes += bytes.length
        writer.write(bytes).then(() => {
          unsentBytes -= bytes.length
        }, close)
      },
      end() {
        isLeft = true
        // What was written before goes out first.
        writer.close().then(leave, leave)
      },
      destroy: leave,
    }
  }

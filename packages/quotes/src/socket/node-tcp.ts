/** TCP and TLS on Node, Deno and Bun. */
import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { TcpSockets } from './port.ts'

/** How long a broker that is left may take to read what was sent before. */
const LEAVE_MS = 1000
/** What one read may bring. The host would make a buffer of this size for each read. */
const READ_BYTES = 64 * 1024

/** Whether `tls.ca` is looked at. */
export const takesAuthorities: boolean = true

export const tcpSockets: TcpSockets =
  ({ ca }, maxUnsentBytes) =>
  ({ secure, hostname, port }, events) => {
    let systemCode: string | undefined
    let isLeft = false
    const received = (bytes: Uint8Array): void => {
      if (!isLeft) events.received(bytes)
    }
    // Read into one buffer again and again: whoever is told of bytes has read them when it returns.
    const onread = {
      buffer: new Uint8Array(READ_BYTES),
      callback: (length: number, buffer: Uint8Array): boolean => {
        received(buffer.subarray(0, length))
        return true
      },
    }
    const common = { host: hostname, port, onread }
    const socket = secure
      ? connectTls({
          ...common,
          // An address is no name of a server (RFC 6066, 3).
          ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
          ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
        })
      : connectTcp(common)
    socket.setNoDelay(true)
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      if (!isLeft) events.opened()
    })
    // Of hosts that do not heed `onread`; the others begin to read for it, and hand it nothing.
    socket.on('data', received)
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
        if (!socket.writable) return
        if (socket.writableLength <= maxUnsentBytes) socket.write(bytes)
        else socket.destroy(Object.assign(new Error('the broker does not read'), { code: 'ENOBUFS' }))
      },
      end() {
        isLeft = true
        // What it still sends is no sign of life any more.
        socket.pause()
        socket.setTimeout(LEAVE_MS, () => socket.destroy())
        socket.end(() => socket.destroy())
      },
      destroy() {
        isLeft = true
        socket.destroy()
      },
    }
  }

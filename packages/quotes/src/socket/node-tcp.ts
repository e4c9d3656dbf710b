/** TCP and TLS on Node, Deno and Bun. */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { isCoreError, type ProxyOption } from '@brokerwire/core'
import { findProxy } from '@brokerwire/core/internal'
import { openTunnel } from '@brokerwire/core/proxy/internal'
import type { MqttAddress } from './address.ts'
import type { QuotesSocket, QuotesSocketEvents, TcpOptions, TcpSockets } from './port.ts'

/** Longest time to send the remaining bytes before the socket is destroyed. */
const CLOSE_TIMEOUT_MS = 1000
/** Size of the one read buffer. Without it, the host allocates a buffer for each read. */
const READ_BUFFER_BYTES = 64 * 1024

/** Whether `tls.ca` is supported. */
export const supportsCustomCa: boolean = true

export const tcpSockets: TcpSockets = (options, maxUnsentBytes) => (address, events) => {
  const { secure, port } = address
  if (options.proxy !== undefined) {
    const opened = openViaProxy(options.proxy, address, options, maxUnsentBytes, events)
    if (opened !== undefined) return opened
  }
  // One buffer is reused, because `received` does not keep the bytes.
  const onread = {
    buffer: new Uint8Array(READ_BUFFER_BYTES),
    callback: (length: number, buffer: Uint8Array): boolean => {
      wrapped.received(buffer.subarray(0, length))
      return true
    },
  }
  const common = { host: address.hostname, port, onread }
  const socket = secure ? connectTls({ ...common, ...tlsOptions(address, options) }) : connectTcp(common)
  const wrapped = wrapSocket(socket, secure ? 'secureConnect' : 'connect', maxUnsentBytes, events)
  return wrapped
}

function tlsOptions({ hostname }: MqttAddress, { ca }: TcpOptions) {
  return {
    // SNI does not permit IP addresses (RFC 6066, 3).
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  }
}

/** Opens a tunnel through a proxy, with TLS inside of it. Returns nothing if there is no proxy for this address. */
function openViaProxy(
  option: ProxyOption,
  address: MqttAddress,
  options: TcpOptions,
  maxUnsentBytes: number,
  events: QuotesSocketEvents,
): QuotesSocket | undefined {
  const { secure, host, hostname, port } = address
  const abort = new AbortController()
  let wrapped: QuotesSocket | undefined
  let opening: Promise<Duplex>
  try {
    const authority = /:\d+$/.test(host) ? host : `${host}:${port}`
    const proxy = findProxy(option, `${secure ? 'mqtts' : 'mqtt'}://${authority}`)
    if (proxy === undefined) return undefined
    opening = openTunnel({ proxy, hostname, port, signal: abort.signal })
  } catch (error) {
    // The proxy function threw, or returned an invalid address.
    opening = Promise.reject(error)
  }
  opening.then(
    (tunnel) => {
      if (abort.signal.aborted) {
        tunnel.destroy()
      } else if (secure) {
        const socket = connectTls({ ...tlsOptions(address, options), host: hostname, socket: tunnel })
        wrapped = wrapSocket(socket, 'secureConnect', maxUnsentBytes, events)
      } else {
        wrapped = wrapSocket(tunnel as Socket, undefined, maxUnsentBytes, events)
        events.opened()
      }
    },
    (error: unknown) => {
      if (abort.signal.aborted) return
      if (isCoreError(error)) events.closed(error.code, error.message)
      else events.closed()
    },
  )
  return {
    send: (bytes) => wrapped?.send(bytes),
    end() {
      abort.abort()
      wrapped?.end()
    },
    destroy() {
      abort.abort()
      wrapped?.destroy()
    },
  }
}

/**
 * Adapts a Node socket.
 * @param ready - The event after which the socket is open; `undefined` if it is open already.
 */
function wrapSocket(
  socket: Socket,
  ready: 'connect' | 'secureConnect' | undefined,
  maxUnsentBytes: number,
  events: QuotesSocketEvents,
): QuotesSocket & { received(bytes: Uint8Array): void } {
  let systemCode: string | undefined
  let isClosed = false
  const received = (bytes: Uint8Array): void => {
    if (!isClosed) events.received(bytes)
  }
  socket.setNoDelay(true)
  if (ready !== undefined) {
    socket.once(ready, () => {
      if (!isClosed) events.opened()
    })
  }
  // For hosts that do not support `onread`. On the others this listener only starts reading, and `data` is
  // never emitted.
  socket.on('data', received)
  // The service closed its side.
  socket.on('end', () => socket.destroy())
  socket.on('error', ({ code }: Error & { readonly code?: string }) => {
    systemCode = code
  })
  socket.on('close', () => {
    if (!isClosed) events.closed(systemCode)
  })
  return {
    received,
    send(bytes) {
      if (!socket.writable) return
      if (socket.writableLength <= maxUnsentBytes) socket.write(bytes)
      else
        socket.destroy(
          Object.assign(new Error('the broker does not read from its socket'), { code: 'ENOBUFS' }),
        )
    },
    end() {
      isClosed = true
      // Later data of the broker is ignored.
      socket.pause()
      socket.setTimeout(CLOSE_TIMEOUT_MS, () => socket.destroy())
      socket.end(() => socket.destroy())
    },
    destroy() {
      isClosed = true
      socket.destroy()
    },
  }
}

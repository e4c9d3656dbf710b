/** TCP and TLS on Node, Deno and Bun. */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { isCoreError, type ProxyOption } from '@brokerwire/core'
import { findProxy } from '@brokerwire/core/internal'
import { openTunnel } from '@brokerwire/core/proxy/internal'
import type { MqttAddress } from './address.ts'
import type { QuotesSocket, QuotesSocketEvents, TcpOptions, TcpSockets } from './port.ts'

/** How long a broker that is left may take to read what was sent before. */
const LEAVE_MS = 1000
/** What one read may bring. The host would make a buffer of this size for each read. */
const READ_BYTES = 64 * 1024

/** Whether `tls.ca` is looked at. */
export const takesAuthorities: boolean = true

export const tcpSockets: TcpSockets = (options, maxUnsentBytes) => (address, events) => {
  const { secure, port } = address
  if (options.proxy !== undefined) {
    const opened = openThrough(options.proxy, address, options, maxUnsentBytes, events)
    if (opened !== undefined) return opened
  }
  // Reads into one buffer: `received` has read the bytes when it returns.
  const onread = {
    buffer: new Uint8Array(READ_BYTES),
    callback: (length: number, buffer: Uint8Array): boolean => {
      carried.received(buffer.subarray(0, length))
      return true
    },
  }
  const common = { host: address.hostname, port, onread }
  const socket = secure ? connectTls({ ...common, ...trust(address, options) }) : connectTcp(common)
  const carried = carry(socket, secure ? 'secureConnect' : 'connect', maxUnsentBytes, events)
  return carried
}

function trust({ hostname }: MqttAddress, { ca }: TcpOptions) {
  return {
    // An address is no name of a server (RFC 6066, 3).
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  }
}

/** A tunnel, and TLS inside of it. Returns nothing if there is no proxy for this address. */
function openThrough(
  option: ProxyOption,
  address: MqttAddress,
  options: TcpOptions,
  maxUnsentBytes: number,
  events: QuotesSocketEvents,
): QuotesSocket | undefined {
  const { secure, host, hostname, port } = address
  const left = new AbortController()
  let carried: QuotesSocket | undefined
  let opening: Promise<Duplex>
  try {
    const authority = /:\d+$/.test(host) ? host : `${host}:${port}`
    const proxy = findProxy(option, `${secure ? 'mqtts' : 'mqtt'}://${authority}`)
    if (proxy === undefined) return undefined
    opening = openTunnel({ proxy, hostname, port, signal: left.signal })
  } catch (error) {
    // A function that returned no address, or has thrown.
    opening = Promise.reject(error)
  }
  opening.then(
    (tunnel) => {
      if (left.signal.aborted) {
        tunnel.destroy()
      } else if (secure) {
        const socket = connectTls({ ...trust(address, options), host: hostname, socket: tunnel })
        carried = carry(socket, 'secureConnect', maxUnsentBytes, events)
      } else {
        carried = carry(tunnel as Socket, undefined, maxUnsentBytes, events)
        events.opened()
      }
    },
    (error: unknown) => {
      if (left.signal.aborted) return
      if (isCoreError(error)) events.closed(error.code, error.message)
      else events.closed()
    },
  )
  return {
    send: (bytes) => carried?.send(bytes),
    end() {
      left.abort()
      carried?.end()
    },
    destroy() {
      left.abort()
      carried?.destroy()
    },
  }
}

/** Carries bytes over a socket. @param ready - The event after which it is open; `undefined` if it is. */
function carry(
  socket: Socket,
  ready: 'connect' | 'secureConnect' | undefined,
  maxUnsentBytes: number,
  events: QuotesSocketEvents,
): QuotesSocket & { received(bytes: Uint8Array): void } {
  let systemCode: string | undefined
  let isLeft = false
  const received = (bytes: Uint8Array): void => {
    if (!isLeft) events.received(bytes)
  }
  socket.setNoDelay(true)
  if (ready !== undefined) {
    socket.once(ready, () => {
      if (!isLeft) events.opened()
    })
  }
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
    received,
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

/**
 * MQTT over WebSocket, with the host's class or a compatible one. Boundaries of WebSocket messages are not those of packets
 * (MQTT 3.1.1, 6.0).
 */
import { MAX_UNSENT_BYTES, type QuotesSocket, type QuotesSocketOpener } from './port.ts'

/** The part of `WebSocket` that is used, from the host or from the package `ws`. */
export interface WebSocketLike {
  /** Set to `'arraybuffer'` by this package. */
  binaryType: string
  /** 1 while the connection is open. */
  readonly readyState: number
  /** Bytes that wait to be sent. `undefined` in Workers. */
  readonly bufferedAmount?: number | undefined
  /** Called when the connection is open. */
  onopen: ((event: never) => void) | null
  /** Called for each received message. */
  onmessage: ((event: never) => void) | null
  /** Called when the connection has ended. */
  onclose: ((event: never) => void) | null
  /** Called when the connection fails, before `onclose`. */
  onerror: ((event: never) => void) | null
  /** Sends one binary message. */
  send(bytes: Uint8Array): void
  /** Closes with a close frame. */
  close(): void
  /** Closes at once; only the class of `ws` has it. */
  terminate?(): void
}

/** The constructor of a {@link WebSocketLike}. */
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike

const OPEN = 1

/** The host's class, if it has one: Node has it since version 22. */
export function hostWebSocket(): WebSocketClass | undefined {
  const { WebSocket } = globalThis as { readonly WebSocket?: WebSocketClass }
  return WebSocket
}

export function webSockets(Socket: WebSocketClass): QuotesSocketOpener {
  return ({ secure, host, path }, events) => {
    let isClosed = false
    const close = (systemCode?: string | undefined): void => {
      if (isClosed) return
      isClosed = true
      events.closed(systemCode)
    }
    let socket: WebSocketLike
    try {
      socket = new Socket(`${secure ? 'wss' : 'ws'}://${host}${path}`, ['mqtt'])
    } catch {
      // `closed` is reported later, because the caller does not have the socket yet.
      queueMicrotask(() => close())
      return { send() {}, end() {}, destroy() {} }
    }
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      if (!isClosed) events.opened()
    }
    socket.onmessage = (event: { readonly data: unknown }) => {
      if (isClosed) return
      if (event.data instanceof ArrayBuffer) events.received(new Uint8Array(event.data))
      else {
        // Text messages are not allowed (6.0).
        socket.close()
        close()
      }
    }
    socket.onclose = () => close()
    // In browsers this event has no reason, and `close` follows. An invalid close frame causes this event
    // too.
    socket.onerror = (event: { readonly error?: { readonly code?: unknown } }) => {
      const code = event?.error?.code
      close(typeof code === 'string' ? code : undefined)
      socket.close()
    }
    const closeSocket = (how: 'close' | 'terminate'): void => {
      isClosed = true
      if (how === 'terminate' && socket.terminate !== undefined) socket.terminate()
      else socket.close()
    }
    const opened: QuotesSocket = {
      send(bytes) {
        if (isClosed || socket.readyState !== OPEN) return
        if ((socket.bufferedAmount ?? 0) <= MAX_UNSENT_BYTES) {
          socket.send(bytes)
          return
        }
        close('ENOBUFS')
        closeSocket('terminate')
      },
      end: () => closeSocket('close'),
      destroy: () => closeSocket('terminate'),
    }
    return opened
  }
}

declare const queueMicrotask: (callback: () => void) => void

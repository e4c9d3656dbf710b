/**
 * MQTT over WebSocket, with the host's class or one that looks like it. Bounds of its messages are not those of packets
 * (MQTT 3.1.1, 6.0): bytes go in and out as they come.
 */
import { MAX_UNSENT_BYTES, type QuotesSocket, type QuotesSocketOpener } from './port.ts'

/** The part of `WebSocket` that is used: the host's, or that of the package `ws`. */
export interface WebSocketLike {
  binaryType: string
  readonly readyState: number
  /** Workers have none. */
  readonly bufferedAmount?: number | undefined
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  send(bytes: Uint8Array): void
  close(): void
  /** Of `ws`: closes without a word. */
  terminate?(): void
}

/** Makes a {@link WebSocketLike}. */
export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike

const OPEN = 1

/** The host's class, where there is one: Node has it from version 22 on. */
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
      // Later, as whatever else fails: nobody holds the socket yet.
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
        // A text is no MQTT (6.0): the connection ends.
        socket.close()
        close()
      }
    }
    socket.onclose = () => close()
    // Says nothing that may be shown; `close` follows. A close frame that is no valid one ends here too.
    socket.onerror = (event: { readonly error?: { readonly code?: unknown } }) => {
      const code = event?.error?.code
      close(typeof code === 'string' ? code : undefined)
      socket.close()
    }
    const leave = (how: 'close' | 'terminate'): void => {
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
        leave('terminate')
      },
      end: () => leave('close'),
      destroy: () => leave('terminate'),
    }
    return opened
  }
}

declare const queueMicrotask: (callback: () => void) => void

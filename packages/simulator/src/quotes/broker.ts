/**
 * MQTT broker of market data, over TCP and WebSocket. It uses the library mqtt-packet, so that the client's
 * own codec is tested with another implementation. It accepts SUBSCRIBE but does not need it, because clients
 * subscribe over HTTP.
 */
import type { Server as HttpServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@brokerwire/core'
import { parser as createParser, generate, type IConnectPacket, type Packet } from 'mqtt-packet'
import { type WebSocket, WebSocketServer } from 'ws'
import type { FaultQueue } from '../fault-queue.ts'
import { limitUnsentBytes } from './limit-unsent-bytes.ts'
import type { QuoteSession, QuoteSessions, SessionWire } from './sessions.ts'

/** Fault of the next CONNECT. */
export type ConnectFault =
  /** Responds with this return code. */
  | {
      readonly kind: 'connack'
      /** Return code of the CONNACK packet. */
      readonly code: number
    }
  /** Sends no response to the CONNECT. */
  | { readonly kind: 'no-response' }
  /** Destroys the connection. */
  | { readonly kind: 'drop' }

export interface QuoteBrokerContext {
  readonly sessions: QuoteSessions
  readonly clock: Clock
  /** Whether this app key exists. */
  readonly isKnown: (appKey: string) => boolean
  readonly faults: FaultQueue<ConnectFault, string>
  /** Whether new connections get a response. While the simulator is closing, they get none. */
  readonly isServing: () => boolean
}

/** Maximum size of a packet from a client. */
const MAX_BYTES = 1 << 16
const APP_KEY_EMPTY = 3
const APP_KEY_INVALID = 104
const CONNECTION_LIMIT = 105
const PROTOCOL_VERSION = 1
const CLIENT_ID = 2

/** Accepts MQTT connections. */
export interface QuoteBroker {
  /** Serves MQTT on a socket. */
  onSocket(socket: Duplex): void
  /** Serves MQTT over WebSocket on this server, at `/mqtt`. */
  onServer(server: HttpServer): void
}

export function createQuoteBroker(context: QuoteBrokerContext): QuoteBroker {
  function checkConnect(connect: IConnectPacket): number {
    if (connect.protocolVersion !== 4) return PROTOCOL_VERSION
    if (connect.clientId === '') return CLIENT_ID
    if ((connect.username ?? '') === '') return APP_KEY_EMPTY
    return context.isKnown(connect.username ?? '') ? 0 : APP_KEY_INVALID
  }

  /** @returns Handlers for received bytes and for the end of the connection. */
  function serveConnection(wire: SessionWire): {
    readonly onBytes: (bytes: Buffer) => void
    readonly closed: () => void
  } {
    let session: QuoteSession | undefined
    let isClosed = false
    let received = 0
    let stopKeepAlive = (): void => {}
    const send = (packet: Packet): void => wire.send(generate(packet, { protocolVersion: 4 }))
    const reject = (returnCode: number): void => {
      send({ cmd: 'connack', returnCode, sessionPresent: false })
      wire.end()
    }
    const endSession = (lost: boolean): void => {
      stopKeepAlive()
      isClosed = true
      if (session !== undefined) context.sessions.close(session, lost)
      session = undefined
    }
    /**
     * Starts the keep-alive timer again. It closes the connection after one and a half keep-alive intervals
     * without a packet (MQTT 3.1.1, section 3.1.2.10).
     */
    const restartKeepAlive = (keepAliveSeconds: number): void => {
      stopKeepAlive()
      if (keepAliveSeconds === 0) return
      stopKeepAlive = context.clock.setTimer(() => {
        endSession(true)
        wire.destroy()
      }, keepAliveSeconds * 1500)
    }
    let keepAliveSeconds = 0

    function onConnect(connect: IConnectPacket): void {
      const fault = context.faults.take(connect.username ?? '')
      if (fault?.kind === 'no-response' || !context.isServing()) return
      if (fault?.kind === 'drop') {
        endSession(true)
        wire.destroy()
        return
      }
      const code = fault?.code ?? checkConnect(connect)
      if (code !== 0) {
        reject(code)
        return
      }
      session = context.sessions.accept(connect.clientId, connect.username ?? '', wire)
      if (session === undefined) {
        reject(CONNECTION_LIMIT)
        return
      }
      keepAliveSeconds = connect.keepalive ?? 0
      send({ cmd: 'connack', returnCode: 0, sessionPresent: false })
    }

    const parser = createParser({ protocolVersion: 4 })
    parser.on('error', () => {
      endSession(true)
      wire.destroy()
    })
    parser.on('packet', (packet: Packet) => {
      received = 0
      if (isClosed) return
      if (session === undefined) {
        // The first packet must be CONNECT (MQTT-3.1.0-1).
        if (packet.cmd === 'connect') onConnect(packet)
        else wire.destroy()
      } else {
        const { silence } = session
        const answer = (answered: Packet): void => {
          if (silence !== 'all') send(answered)
        }
        if (packet.cmd === 'pingreq') answer({ cmd: 'pingresp' })
        if (packet.cmd === 'subscribe') {
          const granted = packet.subscriptions.map(() => 0)
          answer({ cmd: 'suback', messageId: packet.messageId ?? 1, granted })
        }
        if (packet.cmd === 'unsubscribe')
          answer({ cmd: 'unsuback', messageId: packet.messageId ?? 1, granted: [] })
        // A second CONNECT is a protocol error (MQTT-3.1.0-2).
        if (packet.cmd === 'disconnect' || packet.cmd === 'connect') {
          endSession(packet.cmd === 'connect')
          wire.end()
          return
        }
      }
      restartKeepAlive(keepAliveSeconds)
    })
    return {
      onBytes(bytes) {
        received += bytes.length
        if (received > MAX_BYTES) wire.destroy()
        else if (!isClosed) parser.parse(bytes)
      },
      closed: () => endSession(true),
    }
  }

  function onWebSocket(socket: WebSocket, rawSocket: Duplex): void {
    const wire: SessionWire = {
      transport: 'websocket',
      send: (bytes) => socket.send(bytes),
      end: () => socket.close(),
      destroy: () => socket.terminate(),
      sendRaw: (bytes) => rawSocket.write(bytes),
    }
    const { onBytes, closed } = serveConnection(limitUnsentBytes(wire, () => socket.bufferedAmount))
    socket.on('error', () => undefined)
    socket.on('message', (data) => onBytes(Buffer.isBuffer(data) ? data : Buffer.concat(data as Buffer[])))
    socket.on('close', closed)
  }

  return {
    onSocket(socket) {
      const wire: SessionWire = {
        transport: 'tcp',
        send: (bytes) => socket.write(bytes),
        end: () => socket.end(),
        destroy: () => socket.destroy(),
        sendRaw: (bytes) => socket.write(bytes),
      }
      const { onBytes, closed } = serveConnection(limitUnsentBytes(wire, () => socket.writableLength))
      socket.on('error', () => undefined)
      socket.on('data', onBytes)
      socket.on('close', closed)
    },
    onServer(server) {
      const sockets = new WebSocketServer({
        server,
        path: '/mqtt',
        maxPayload: MAX_BYTES,
        handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : false),
      })
      sockets.on('connection', (socket, request) => onWebSocket(socket, request.socket))
    },
  }
}

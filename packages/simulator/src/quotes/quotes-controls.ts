/** The public interface of market data. */
import type { FaultCount } from '../fault-queue.ts'
import type { ConnectFault } from './broker.ts'
import type { SubscribedSymbol } from './sessions.ts'

/** Public view of a connected session. */
export interface QuoteSessionView {
  /** Client id of the connection. */
  readonly id: string
  /** App key of the connection. */
  readonly appKey: string
  /** Transport of the connection. */
  readonly transport: 'tcp' | 'websocket'
  /** Symbols to which the session is subscribed. */
  readonly symbols: readonly SubscribedSymbol[]
  /** Silence of the session: see `silence()`. */
  readonly silence: 'none' | 'messages' | 'all'
  /** Number of messages that the rate limit discarded. */
  readonly dropped: number
}

/** Selection of sessions. */
export interface QuoteSessionSelection {
  /** Client id of one session. @defaultValue all sessions */
  readonly session?: string | undefined
}

/** A message with any content. */
export interface PushedMessage extends QuoteSessionSelection {
  /** MQTT topic of the message. */
  readonly topic: string
  /** Bytes of the message. @defaultValue an empty payload */
  readonly payload?: Uint8Array | undefined
  /** MQTT quality of service. @defaultValue 0 */
  readonly qos?: 0 | 1 | 2 | undefined
  /** DUP flag of the packet. @defaultValue false */
  readonly duplicate?: boolean | undefined
  /** RETAIN flag of the packet. @defaultValue false */
  readonly retain?: boolean | undefined
}

/** Actions on market data. Unless documented otherwise, each returns the number of affected sessions. */
export interface QuotesControls {
  /** `mqtt://host:port`, or `mqtts://` with `tls`. */
  readonly mqttUrl: string
  /** `ws://host:port/mqtt`, or `wss://` with `tls`. */
  readonly mqttWebSocketUrl: string
  /** Returns the connected sessions, oldest first. */
  sessions(): readonly QuoteSessionView[]
  /**
   * Returns the number of used connection slots of the first app, including those of lost connections that
   * still count.
   */
  usedConnections(): number
  /**
   * Moves prices `count` times, each time that of one subscribed symbol, and sends the messages to its
   * subscribers.
   *
   * @returns Number of messages that were sent.
   */
  step(count?: number | undefined): number
  /** Sends a message to the selected sessions, whether they are subscribed or not. */
  push(message: PushedMessage): number
  /** Sends an `echo` message. */
  echo(selection?: QuoteSessionSelection): number
  /** Sends a `notice` message, with the number of messages that the rate limit discarded, or with your own fields. */
  notice(
    selection?: QuoteSessionSelection & {
      /** Fields of the message. @defaultValue the counters of the rate limit */
      readonly fields?: Readonly<Record<string, unknown>> | undefined
    },
  ): number
  /** Destroys connections, as if they were lost. Their slots stay used for `slotLingerMs`. */
  drop(selection?: QuoteSessionSelection): number
  /** Closes the selected connections cleanly. */
  end(selection?: QuoteSessionSelection): number
  /**
   * Stops sending. With `'messages'`, only responses to PINGREQ are sent. With `'all'`, nothing is sent.
   * `'none'` ends a silence.
   */
  silence(what: 'none' | 'messages' | 'all', selection?: QuoteSessionSelection): number
  /**
   * Sends raw bytes without framing, for example half a packet, an invalid packet, or a WebSocket close
   * frame.
   */
  sendBytes(bytes: Uint8Array, selection?: QuoteSessionSelection): number
  /**
   * Over WebSocket, sends the invalid close frame that was observed on the service, with the payload
   * `bye-bye!!!`. Over TCP, closes the connections.
   */
  sendInvalidClose(selection?: QuoteSessionSelection): number
  /**
   * Removes sessions for the HTTP calls only; their connections stay open. Subscribe calls then fail as for a
   * closed session, or for a session of another environment.
   */
  forgetSessions(selection?: QuoteSessionSelection): number
  /**
   * Sets the symbols that do not exist, instead of those that were set before.
   *
   * @defaultValue none: every string is a symbol
   */
  setUnknownSymbols(symbols: readonly string[]): void
  /** Injects a fault into the next CONNECT. */
  nextConnect(
    fault: ConnectFault,
    options?: {
      /** Number of CONNECTs with the fault. @defaultValue 1 */
      readonly count?: FaultCount | undefined
    },
  ): void
  /** Removes all pending faults. */
  clearFaults(): void
}

/** Market data in the caller's hand. */
import type { FaultTimes } from '../fault-queue.ts'
import type { ConnectFault } from './broker.ts'
import type { SubscribedSymbol } from './sessions.ts'

/** A session that is connected. */
export interface QuoteSessionView {
  readonly id: string
  readonly appKey: string
  readonly transport: 'tcp' | 'websocket'
  readonly symbols: readonly SubscribedSymbol[]
  /** What is not sent to it: see `silence()`. */
  readonly silence: 'none' | 'messages' | 'all'
  /** Messages that the rate limit dropped. */
  readonly dropped: number
}

/** Which sessions a call is about. */
export interface QuoteSessionSelection {
  /** @defaultValue all */
  readonly session?: string | undefined
}

/** A message of the caller's own. */
export interface PushedMessage extends QuoteSessionSelection {
  readonly topic: string
  readonly payload?: Uint8Array | undefined
  /** @defaultValue 0 */
  readonly qos?: 0 | 1 | 2 | undefined
  /** @defaultValue false */
  readonly duplicate?: boolean | undefined
  /** @defaultValue false */
  readonly retain?: boolean | undefined
}

/** What can be done to market data. Each returns how many sessions it reached. */
export interface QuotesControls {
  /** `mqtt://host:port`, or `mqtts://` with `tls`. */
  readonly mqttUrl: string
  /** `ws://host:port/mqtt`, or `wss://` with `tls`. */
  readonly mqttWebSocketUrl: string
  sessions(): readonly QuoteSessionView[]
  /** Slots that are taken, the lingering ones included. */
  connectionsTaken(): number
  /** Moves the price of one subscribed symbol after the other, so many times, and sends what was asked for. @returns Messages. */
  step(count?: number | undefined): number
  /** Sends a message to whoever it is about, asked for or not. */
  push(message: PushedMessage): number
  /** Sends `echo`. */
  echo(selection?: QuoteSessionSelection): number
  /** Sends `notice`, with what the rate limit dropped, or with fields of the caller's own. */
  notice(
    selection?: QuoteSessionSelection & { readonly fields?: Readonly<Record<string, unknown>> | undefined },
  ): number
  /** Breaks connections without a word. Their slots linger. */
  drop(selection?: QuoteSessionSelection): number
  /** Ends connections in an orderly way. */
  end(selection?: QuoteSessionSelection): number
  /** `'messages'`: PINGs are still answered. `'all'`: nothing is sent. */
  silence(what: 'none' | 'messages' | 'all', selection?: QuoteSessionSelection): number
  /** Sends bytes as they are, below any frame: half a packet, a malformed one, a WebSocket's close frame. */
  sendBytes(bytes: Uint8Array, selection?: QuoteSessionSelection): number
  /** Over WebSocket, the close frame that was seen in the field: its payload, `bye-bye!!!`, is no valid status. */
  closeBadly(selection?: QuoteSessionSelection): number
  /** The HTTP side forgets sessions, whose connections stay: a dead session, or one of another environment. */
  forgetSessions(selection?: QuoteSessionSelection): number
  /** Symbols that no category has. @defaultValue none: every text is a symbol */
  setUnknownSymbols(symbols: readonly string[]): void
  /** Strikes the next CONNECT. */
  nextConnect(fault: ConnectFault, options?: { readonly count?: FaultTimes | undefined }): void
  /** Forgets the faults that have not struck. */
  clearFaults(): void
}

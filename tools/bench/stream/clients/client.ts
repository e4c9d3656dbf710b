/** The interface of all clients. */
import type { DecodeResult } from '@brokerwire/payloads'

/** Fields of the services' responses that the benchmark reads. */
export interface ReceivedMessage {
  readonly payload: string
  readonly requestId: string
  /** Decodes the payload. Only items of supervised streams have it. */
  decode?(): DecodeResult<unknown>
}

export type OnMessage = (message: ReceivedMessage) => void

export interface BenchClient {
  /**
   * Makes one call and receives its messages.
   *
   * @param expected - Number of messages. A supervised stream closes after the last one, because otherwise it
   * would connect again.
   * @returns The number of bytes of DATA, if the client does not parse messages.
   */
  receive(expected: number, onMessage: OnMessage): Promise<number | undefined>
}

export type CreateBenchClient = (port: number) => BenchClient

/** Request fields of all clients. */
export const REQUEST = { subscribeType: 1, accounts: ['SH7460PG7B03A4TQGWBBBA0P3B'] }

/** The interface of all clients. */
import type { DecodeResult } from '@brokerwire/payloads'

/** Fields of the services' responses that the benchmark reads. */
export interface ReceivedMessage {
  readonly payload: string
  readonly requestId: string
  /** Of items of supervised streams. */
  decode?(): DecodeResult<unknown>
}

export type OnMessage = (message: ReceivedMessage) => void

export interface BenchClient {
  /**
   * Makes one call and receives its messages.
   *
   * @param expected - Number of messages. Supervised streams leave at the last one: they would connect again.
   * @returns Bytes of DATA, from a client that does not parse messages.
   */
  receive(expected: number, onMessage: OnMessage): Promise<number | undefined>
}

export type CreateBenchClient = (port: number) => BenchClient

/** Request fields that are the same for all. */
export const REQUEST = { subscribeType: 1, accounts: ['SH7460PG7B03A4TQGWBBBA0P3B'] }

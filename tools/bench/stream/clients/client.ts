/** What every contender is made to do. */
import type { DecodeResult } from '@brokerwire/payloads'

/** Fields of the services' responses that the benchmark reads. */
export interface ReceivedMessage {
  readonly eventType: number | string
  readonly payload: string
  /** As the library has it: a bigint, a number, a text, or an object that is one. */
  readonly timestamp: bigint | number | { toString(): string }
  /** Of items that are decoded by what they carry. */
  decode?(): DecodeResult<unknown>
}

export type OnMessage = (message: ReceivedMessage) => void

export interface BenchClient {
  /**
   * Makes one call and takes all that it answers.
   *
   * @param plan - Goes into the request's `payload`, or `timestamp` on the module service.
   * @returns How many bytes of DATA came, from a client that does not look for messages.
   */
  receive(plan: string, onMessage: OnMessage): Promise<number | undefined>
  close(): void
}

export type CreateBenchClient = (port: number) => BenchClient

/** Request fields that are the same for all. */
export const REQUEST = { subscribeType: 1, accounts: ['SH7460PG7B03A4TQGWBBBA0P3B'] }
export const METHOD_PATH = '/grpc.trade.event.EventService/Subscribe'

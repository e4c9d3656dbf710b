/** What every contender is made to do. */

/** Fields of the trade service's response that the benchmark reads. */
export interface ReceivedMessage {
  readonly eventType: number
  readonly contentType: string
  readonly payload: string
  /** As the library has it: a bigint, a number, or an object that is one. */
  readonly timestamp: bigint | number | { toString(): string }
}

export type OnMessage = (message: ReceivedMessage) => void

export interface BenchClient {
  /**
   * Makes one call and takes all that it answers.
   *
   * @param plan - Goes into the request's `payload`.
   * @returns How many bytes of DATA came, from a client that does not look for messages.
   */
  receive(plan: string, onMessage: OnMessage): Promise<number | undefined>
  close(): void
}

export type CreateBenchClient = (port: number) => BenchClient

/** Request fields that are the same for all. */
export const REQUEST = { subscribeType: 1, accounts: ['SH7460PG7B03A4TQGWBBBA0P3B'] }
export const METHOD_PATH = '/grpc.trade.event.EventService/Subscribe'

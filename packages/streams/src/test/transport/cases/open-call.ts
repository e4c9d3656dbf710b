/** A call from the client's side. Its input yields one message, and then waits until it is closed. */
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import type { StreamClient } from '../../../transport/create-stream-client.ts'
import type { Echo } from '../echo-service.ts'
import { codeName } from '../outcome.ts'
import { type Kind, streamsOut } from './dimensions.ts'

/** A call that was started. */
export interface OpenCall {
  /** Resolves with the end of the call: `ok`, or the error's code. */
  readonly end: Promise<string>
  /** Resolves at the first message, or at the end of the call. */
  readonly first: Promise<void>
  /** Returns how the input was closed: `throw`, `return` or `nothing`; `none` if the request has only one message. */
  readonly inputEnd: () => string
}

/** Options of a call. */
export interface OpenOptions {
  /** A message that the input repeats without end, instead of waiting. */
  readonly flood?: string
  /** Whether the loop ends with `break` at the first message. */
  readonly leave?: boolean
  /** Whether the input ends after its first message. */
  readonly short?: boolean
}

/** Starts a call. */
export function openCall(
  client: StreamClient<typeof Echo>,
  kind: Kind,
  call: CallOptions,
  { flood, leave = false, short = false }: OpenOptions = {},
): OpenCall {
  let inputEnd = 'nothing'
  let begun = (): void => {}
  const first = new Promise<void>((resolve) => {
    begun = resolve
  })
  let yielded = 0
  const done = { done: true as const, value: undefined }
  const record = async (how: string) => {
    if (inputEnd === 'nothing') inputEnd = how
    return done
  }
  const input = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (yielded++ === 0) return { done: false as const, value: { value: flood ?? 'a' } }
        if (flood !== undefined) return { done: false as const, value: { value: flood } }
        return short ? done : new Promise<typeof done>(() => {})
      },
      return: () => record('return'),
      throw: (_reason: unknown) => record('throw'),
    }),
  }
  const run = async (): Promise<string> => {
    try {
      if (kind === 'unary') await client.unary({ value: 'a' }, call)
      else if (kind === 'client-stream') await client.clientStream(input, call)
      else {
        const messages =
          kind === 'server-stream' ? client.serverStream({ value: 'a' }, call) : client.bidi(input, call)
        for await (const _ of messages) {
          begun()
          if (leave) break
        }
      }
      return 'ok'
    } catch (error) {
      return codeName(ConnectError.from(error))
    } finally {
      begun()
    }
  }
  const hasInput = streamsOut(kind)
  return { end: run(), first, inputEnd: () => (hasInput ? inputEnd : 'none') }
}

/** A call that a case has begun, from the client's side: its input says one message, and then waits until it is told. */
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import type { StreamClient } from '../../../transport/create-stream-client.ts'
import type { Echo } from '../echo-service.ts'
import { codeName } from '../outcome.ts'
import { type Kind, streamsOut } from './dimensions.ts'

/** The call. */
export interface OpenCall {
  /** Resolves to how it ended: `ok`, or the code. */
  readonly end: Promise<string>
  /** Resolves at its first message, or at its end. */
  readonly first: Promise<void>
  /** What its input was told: `throw`, `return`, `nothing`; `none` where it has no input that could be told. */
  readonly told: () => string
}

/** How it is begun. */
export interface OpenOptions {
  /** What its input goes on saying, without end, instead of waiting. */
  readonly flood?: string
  /** The loop is left at the first message. */
  readonly leave?: boolean
  /** The input ends after its first message. */
  readonly short?: boolean
}

/** Begins it. */
export function openCall(
  client: StreamClient<typeof Echo>,
  kind: Kind,
  call: CallOptions,
  { flood, leave = false, short = false }: OpenOptions = {},
): OpenCall {
  let told = 'nothing'
  let begun = (): void => {}
  const first = new Promise<void>((resolve) => {
    begun = resolve
  })
  let said = 0
  const done = { done: true as const, value: undefined }
  const record = async (how: string) => {
    if (told === 'nothing') told = how
    return done
  }
  const input = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (said++ === 0) return { done: false as const, value: { value: flood ?? 'a' } }
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
  return { end: run(), first, told: () => (hasInput ? told : 'none') }
}

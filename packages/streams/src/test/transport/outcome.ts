/** The outcome of a call as data, to compare two transports. */
import type { MessageShape } from '@bufbuild/protobuf'
import type { StringValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'

type Text = MessageShape<typeof StringValueSchema>

/** The delivered messages, then `ok` or the name of the error's code. */
export type Outcome = readonly [...messages: string[], end: string]

/** Returns the name of an error's code as in the documents of gRPC, such as `not_found`. */
export function codeName(error: unknown): string {
  if (!(error instanceof ConnectError)) return `no ConnectError: ${String(error)}`
  return Code[error.code].replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
}

/** Reads all messages and returns the outcome. */
export async function outcomeOf(messages: AsyncIterable<Text>): Promise<Outcome> {
  const taken: string[] = []
  try {
    for await (const { value } of messages) taken.push(value)
    return [...taken, 'ok']
  } catch (error) {
    return [...taken, codeName(error)]
  }
}

/** Returns the outcome of a call with one response message. */
export async function unaryOutcome(call: Promise<Text>): Promise<Outcome> {
  try {
    return [(await call).value, 'ok']
  } catch (error) {
    return [codeName(error)]
  }
}

/** Returns the error of a call. Throws if the call succeeds. */
export async function errorOf(work: Promise<unknown> | AsyncIterable<unknown>): Promise<ConnectError> {
  try {
    if (Symbol.asyncIterator in work) for await (const _ of work);
    else await work
  } catch (error) {
    return ConnectError.from(error)
  }
  throw new Error('expected an error')
}

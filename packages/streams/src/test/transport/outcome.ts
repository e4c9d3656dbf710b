/** How a call went, as data that two transports can be compared by. */
import type { MessageShape } from '@bufbuild/protobuf'
import type { StringValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'

type Text = MessageShape<typeof StringValueSchema>

/** Messages that were handed out, then `ok` or the name of the error's code. */
export type Outcome = readonly [...messages: string[], end: string]

/** `not_found`, as the documents of gRPC write it. */
export function codeName(error: unknown): string {
  if (!(error instanceof ConnectError)) return `no ConnectError: ${String(error)}`
  return Code[error.code].replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase()
}

/** Takes all messages. */
export async function outcomeOf(messages: AsyncIterable<Text>): Promise<Outcome> {
  const taken: string[] = []
  try {
    for await (const { value } of messages) taken.push(value)
    return [...taken, 'ok']
  } catch (error) {
    return [...taken, codeName(error)]
  }
}

/** The message of a call with one. */
export async function unaryOutcome(call: Promise<Text>): Promise<Outcome> {
  try {
    return [(await call).value, 'ok']
  } catch (error) {
    return [codeName(error)]
  }
}

/** The error with which something ends. */
export async function errorOf(work: Promise<unknown> | AsyncIterable<unknown>): Promise<ConnectError> {
  try {
    if (Symbol.asyncIterator in work) for await (const _ of work);
    else await work
  } catch (error) {
    return ConnectError.from(error)
  }
  throw new Error('expected an error')
}

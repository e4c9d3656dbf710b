/** How the messages of a call are read: one by one, or in batches. */
import type { Decode, MessageBatch } from './message-batch.ts'
import type { MessageReader } from './message-reader.ts'
import type { UndecodableMessage } from './undecodable.ts'

/** Makes the result of a read: of its first message, or of the end. */
export interface Receiver<R> {
  /** @throws If the bytes cannot be decoded. */
  message(bytes: Buffer, start: number, end: number): R
  /** Without it, a message that cannot be decoded ends the call. */
  undecodable?(message: UndecodableMessage): R
  readonly end: R
}

export const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** Reads one message, as Connect does. */
export function messageReceiver<T>(decode: Decode<T>): Receiver<IteratorResult<T, undefined>> {
  return {
    message: (bytes, start, end) => ({ done: false, value: decode(bytes, start, end) }),
    end: DONE,
  }
}

/** Reads a message into a batch, and with it what else was received. */
export function batchReceiver<T>(
  batch: MessageBatch<T>,
  reader: MessageReader,
  maxMessages: number,
  maxBytes: number,
): Receiver<MessageBatch<T>> {
  return {
    message(bytes, start, end) {
      batch.read(bytes, start, end)
      reader.fill(batch, maxMessages, maxBytes)
      return batch
    },
    undecodable(message) {
      batch.undecodable = message
      return batch
    },
    end: batch,
  }
}

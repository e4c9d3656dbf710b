/** Reads of a call: one message at a time, or in batches. */
import type { Decode, MessageBatch } from './message-batch.ts'
import type { MessageReader } from './message-reader.ts'
import type { UndecodableMessage } from './undecodable.ts'

/** Creates the result of a read. */
export interface Receiver<R> {
  /** Returns the result for a message. @throws If the bytes cannot be decoded. */
  message(bytes: Buffer, start: number, end: number): R
  /** Returns the result for a message that cannot be decoded. Without this function, such a message ends the call. */
  undecodable?(message: UndecodableMessage): R
  /** The result at the end of the call. */
  readonly end: R
}

/** The result of `next()` at the end. */
export const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** Returns a receiver of single messages, as Connect reads them. */
export function messageReceiver<T>(decode: Decode<T>): Receiver<IteratorResult<T, undefined>> {
  return {
    message: (bytes, start, end) => ({ done: false, value: decode(bytes, start, end) }),
    end: DONE,
  }
}

/** Returns a receiver that fills a batch with all received messages. */
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

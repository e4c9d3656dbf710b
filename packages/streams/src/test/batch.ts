/** Batches of messages without ids. */
import { type Decode, type Decoder, MessageBatch, notesFor } from '../transport/message-batch.ts'

/** Creates a decoder from a function. */
export const createDecoder = <T>(decode: Decode<T>): Decoder<T> => ({
  decode,
  texts: { idStart: 0, idEnd: 0 },
  extraBytes: () => 0,
})

/** Creates a batch of up to 100 messages. */
export const createBatch = <T>(decode: Decode<T>): MessageBatch<T> =>
  new MessageBatch<T>(createDecoder(decode), notesFor(100))

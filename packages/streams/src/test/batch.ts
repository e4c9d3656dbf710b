/** Batches of messages whose texts do not matter. */
import { type Decode, type Decoder, MessageBatch, notesFor } from '../transport/message-batch.ts'

export const decoderOf = <T>(decode: Decode<T>): Decoder<T> => ({
  decode,
  texts: { nameStart: 0, nameEnd: 0 },
  extraBytes: () => 0,
})

/** A batch of up to 100 messages. */
export const createBatch = <T>(decode: Decode<T>): MessageBatch<T> =>
  new MessageBatch<T>(decoderOf(decode), notesFor(100))

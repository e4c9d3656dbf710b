/** What the generated decoders are: a {@link MessageDecoder} that knows that its bytes are a `Buffer`. */
import type { Message } from '@bufbuild/protobuf'

/** As `MessageDecoder`, of which it is one. Kept apart so that public types name no `Buffer`. */
export type BufferDecoder = (bytes: Buffer, start: number, end: number) => Message

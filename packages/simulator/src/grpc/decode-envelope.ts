/**
 * Extracts the only message from a gRPC request body, exactly as it was serialized. The signature covers
 * these bytes, so they are extracted before a protobuf runtime decodes them.
 */
import { COMPRESSIONS } from './compression.ts'

/** The decoded request body, or the reason why it is invalid. */
export type DecodedEnvelope =
  | { readonly ok: true; readonly message: Uint8Array }
  | { readonly ok: false; readonly problem: string }

const HEADER_BYTES = 5

/**
 * @param body - The whole request body.
 * @param encoding - Value of the `grpc-encoding` header.
 * @param maxBytes - Maximum size of the decompressed message.
 */
export async function decodeEnvelope(
  body: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Promise<DecodedEnvelope> {
  if (body.length < HEADER_BYTES) return { ok: false, problem: 'the request body must be a gRPC message' }
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  const flags = view.getUint8(0)
  const length = view.getUint32(1)
  if (body.length !== HEADER_BYTES + length) {
    return { ok: false, problem: 'the request body must be exactly one gRPC message' }
  }
  const bytes = body.subarray(HEADER_BYTES)
  if (flags === 0) return { ok: true, message: bytes }
  const compression = COMPRESSIONS.find(({ name }) => name === encoding)
  if (flags !== 1 || compression === undefined) {
    return { ok: false, problem: 'the gRPC message must have known flags and a known compression' }
  }
  try {
    return { ok: true, message: await compression.decompress(bytes, maxBytes) }
  } catch {
    return { ok: false, problem: 'the gRPC message cannot be decompressed' }
  }
}

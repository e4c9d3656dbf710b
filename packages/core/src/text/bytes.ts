/** Conversions of strings and bytes, without types of a host. */
import type { BytesLike, OwnedBytes } from '../structural.ts'

declare const TextEncoder: new () => { encode(text: string): OwnedBytes }
declare const TextDecoder: new (
  label: 'utf-8',
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string }

const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes a string as UTF-8. A lone surrogate becomes U+FFFD. */
export const utf8Encode = (text: string): OwnedBytes => encoder.encode(text)

/** Decodes UTF-8. Returns `undefined` if the bytes are not UTF-8. A byte order mark is kept. */
export function utf8Decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Removes a byte order mark at the start. Some editors and servers write one, and `JSON.parse` rejects it. */
export const stripByteOrderMark = (text: string): string => text.replace(/^\ufeff/, '')

/** Joins chunks. @param length - Total length in bytes. */
export function concatBytes(chunks: readonly Uint8Array[], length: number): OwnedBytes {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/**
 * Returns the same bytes as a `Uint8Array`, without copying them. A `Buffer` is returned itself, because it
 * is a `Uint8Array`.
 */
export function toBytes(bytes: BytesLike): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes)
}

/** Conversion between bytes and base64, in chunks, because hosts limit the number of arguments of one call. */
declare const btoa: (binary: string) => string
declare const atob: (base64: string) => string

const PIECE = 8192

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += PIECE)
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(binary)
}

/** @returns The bytes; `undefined` if the text is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}

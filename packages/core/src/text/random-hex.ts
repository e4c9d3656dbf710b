/** Random hexadecimal digits, for identifiers. */
declare const crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array }

/** Returns `bytes` random bytes as hexadecimal digits. Not for the global scope of a Worker, which has no random values. */
export const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

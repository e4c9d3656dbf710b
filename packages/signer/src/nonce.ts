/**
 * Nonces from a pool: one call for random bytes serves many signatures.
 *
 * Drawn lazily: a Worker's global scope forbids random values.
 */
declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }

/** Nonces per draw: 16 bytes each. */
const POOL = 128

/** Makes a source of 128-bit nonces, 32 lower-case hex characters each. */
export function createNonces(): () => string {
  const bytes = new Uint8Array(POOL * 16)
  let hex = ''
  let at = 0
  return () => {
    if (at === hex.length) {
      crypto.getRandomValues(bytes)
      hex = toHex(bytes)
      at = 0
    }
    at += 32
    return hex.slice(at - 32, at)
  }
}

const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1))

/** Lower-case hex of bytes. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}

/** Bytes as hex, where the runtime has nothing of its own for it. */
const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1))

/** Lower-case hex of bytes. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 1) text += HEX[bytes[i] as number]
  return text
}

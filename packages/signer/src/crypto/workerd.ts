/** WebCrypto in Cloudflare Workers: MD5 included, and bytes turn into text by themselves, without code of ours. */
import type { RuntimeCrypto } from './port.ts'
import { webCrypto } from './web.ts'

/** Methods that workerd has had since 2025. */
interface TextBytes extends Uint8Array {
  toHex(): string
  toBase64(): string
}

/** The crypto of the build for Workers. */
export const workerdCrypto: RuntimeCrypto = /* @__PURE__ */ webCrypto(
  (bytes) => (bytes as TextBytes).toHex(),
  (bytes) => (bytes as TextBytes).toBase64(),
)

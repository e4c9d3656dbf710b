/** gzip and brotli of whole messages, on Node's zlib: the codings that connect-node offers, under the same names. */
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, gunzip, gzip, type InputType } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'

type Compress = (bytes: InputType) => Promise<Uint8Array>
type Decompress = (bytes: InputType, options: { maxOutputLength: number }) => Promise<Uint8Array>

function coding(name: string, compress: Compress, decompress: Decompress): Compression {
  return {
    name,
    compress: async (bytes) => plain(await compress(bytes)),
    async decompress(bytes, readMaxBytes) {
      if (bytes.length === 0) return new Uint8Array(0)
      try {
        return plain(await decompress(bytes, { maxOutputLength: readMaxBytes }))
      } catch (error) {
        throw decompressionError(error, readMaxBytes)
      }
    },
  }
}

function decompressionError(error: unknown, readMaxBytes: number): ConnectError {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
    const message = `a message is longer than readMaxBytes (${readMaxBytes}) once decompressed`
    return new ConnectError(message, Code.ResourceExhausted)
  }
  return new ConnectError('a compressed message cannot be decompressed', Code.Internal)
}

/** Connect's type wants bytes over an ArrayBuffer; zlib's always are. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}

/** The coding `gzip`, at zlib's own level. */
export const gzipCompression: Compression = coding('gzip', promisify(gzip), promisify(gunzip))

/** The coding `br`, at zlib's own level. */
export const brotliCompression: Compression = coding(
  'br',
  promisify(brotliCompress),
  promisify(brotliDecompress),
)

/** Compression of messages with gzip and brotli of Node's zlib, under the same names as in connect-node. */
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, gunzip, gzip, type InputType } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'

type Bytes = Uint8Array<ArrayBuffer>
type Compress = (bytes: InputType) => Promise<Bytes>
type Decompress = (bytes: InputType, options: { maxOutputLength: number }) => Promise<Bytes>

function createCompression(name: string, compress: Compress, decompress: Decompress): Compression {
  return {
    name,
    compress,
    async decompress(bytes, readMaxBytes) {
      if (bytes.length === 0) return new Uint8Array(0)
      try {
        return await decompress(bytes, { maxOutputLength: readMaxBytes })
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

/** The coding `gzip`, at the default level of zlib. */
export const gzipCompression: Compression = createCompression('gzip', promisify(gzip), promisify(gunzip))

/** The coding `br`, at the default level of zlib. */
export const brotliCompression: Compression = createCompression(
  'br',
  promisify(brotliCompress),
  promisify(brotliDecompress),
)

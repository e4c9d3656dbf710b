/** The codings `gzip` and `br` of gRPC messages, with Node's zlib. */
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, gunzip, gzip } from 'node:zlib'
import type { Compression } from '@connectrpc/connect/protocol'

type Bytes = Uint8Array<ArrayBuffer>

function createCompression(
  name: string,
  compress: (bytes: Uint8Array) => Promise<Bytes>,
  decompress: (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Bytes>,
): Compression {
  return {
    name,
    compress,
    decompress: (bytes, maxBytes) =>
      bytes.length === 0
        ? Promise.resolve(new Uint8Array(0))
        : decompress(bytes, { maxOutputLength: maxBytes }),
  }
}

export const COMPRESSIONS: readonly Compression[] = [
  createCompression('gzip', promisify(gzip), promisify(gunzip)),
  createCompression('br', promisify(brotliCompress), promisify(brotliDecompress)),
]

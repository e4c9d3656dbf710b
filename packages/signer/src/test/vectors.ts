/** The vector files with their types. */

import type { QueryPair } from '@brokerwire/core'
import type { SignerOptions } from '@brokerwire/signer'
import http from '../../../../testdata/vectors/http-signatures.json' with { type: 'json' }
import stream from '../../../../testdata/vectors/stream-signatures.json' with { type: 'json' }

export interface HttpVector {
  readonly name?: string
  readonly appKey: string
  readonly appSecret: string
  readonly algorithm: 'HMAC-SHA1' | 'HMAC-SHA256'
  readonly timestamp: string
  readonly nonce: string
  readonly host: string
  readonly path: string
  readonly query: readonly QueryPair[]
  readonly body: string | null
  readonly canonical: string
  readonly signature: string
}

export interface StreamVector extends Omit<HttpVector, 'host' | 'path' | 'query' | 'body'> {
  readonly requestHex: string
}

export const HTTP_VECTORS = {
  documented: http.documented,
  client: http.client,
  repeated: http.repeated,
  named: http.named,
} as unknown as Readonly<Record<'documented' | 'client' | 'repeated' | 'named', readonly HttpVector[]>>

export const STREAM_VECTORS = { client: stream.client, module: stream.module } as unknown as Readonly<
  Record<'client' | 'module', readonly StreamVector[]>
>

export const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** The options of a signer for a vector. */
export function optionsOf<
  V extends Pick<HttpVector, 'appKey' | 'appSecret' | 'algorithm' | 'timestamp' | 'nonce'>,
>({ appKey, appSecret, algorithm, timestamp, nonce }: V): SignerOptions<never> {
  const fixed = { now: () => Date.parse(timestamp), nonce: () => nonce }
  return { appKey, appSecret, algorithm, streamAlgorithm: algorithm, ...fixed }
}

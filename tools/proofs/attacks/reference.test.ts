import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../ci/lib/workspace.ts'
import {
  referenceCanonical,
  referenceEncode,
  referenceSignature,
  referenceStreamCanonical,
} from './reference.ts'

interface Vector {
  readonly appKey: string
  readonly appSecret: string
  readonly algorithm: string
  readonly timestamp: string
  readonly nonce: string
  readonly canonical: string
  readonly signature: string
}
interface HttpVector extends Vector {
  readonly host: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly body: string | null
}

const read = <T>(file: string): T =>
  JSON.parse(readFileSync(join(ROOT, 'testdata/vectors', file), 'utf8')) as T
const headersOf = ({ appKey, algorithm, timestamp, nonce }: Vector) => ({
  'x-app-key': appKey,
  'x-signature-algorithm': algorithm,
  'x-signature-version': '1.0',
  'x-signature-nonce': nonce,
  'x-timestamp': timestamp,
})

describe('the reference that attacks are judged by is held against strings of others', () => {
  const { documented, client } = read<Record<'documented' | 'client', HttpVector[]>>('http-signatures.json')

  test.each([...documented, ...client].map((vector, i) => [i, vector] as const))(
    'request %i',
    (_, vector) => {
      const query = vector.query.map((pair) => pair.map(referenceEncode).join('='))
      const canonical = referenceCanonical({
        host: vector.host,
        target: [vector.path, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
        headers: headersOf(vector),
        body: new TextEncoder().encode(vector.body ?? ''),
      })
      expect(canonical).toBe(vector.canonical)
      expect(referenceSignature(vector.algorithm, vector.appSecret, vector.canonical)).toBe(vector.signature)
    },
  )

  const { streams } = JSON.parse(readFileSync(join(ROOT, 'packages/signer/vectors.json'), 'utf8')) as {
    streams: (Vector & { readonly requestHex: string })[]
  }
  test.each(streams.map((vector, i) => [i, vector] as const))('stream %i', (_, vector) => {
    const request = Buffer.from(vector.requestHex, 'hex')
    expect(referenceStreamCanonical(headersOf(vector), request)).toBe(vector.canonical)
    expect(referenceSignature(vector.algorithm, vector.appSecret, vector.canonical)).toBe(vector.signature)
  })
})

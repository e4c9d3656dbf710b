/**
 * Checks one vector with the signer: first the canonical string, in which most implementations make mistakes,
 * then the signature.
 */
import { isBrokerwireError } from '@brokerwire/core'
import { typeName } from '@brokerwire/core/internal'
import { createSigner, type SignerOptions, type SignInput } from '@brokerwire/signer'
import type { VectorRecord } from './records.ts'

/** The step that failed. `record` means that the record is invalid. */
export type VectorStep = 'record' | 'canonical' | 'signature'

/** Result of a record. */
export type VectorResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly step: VectorStep; readonly expected: string; readonly received: string }

/** Checks a record. Never throws for invalid content. */
export async function checkVector(record: VectorRecord): Promise<VectorResult> {
  const { fields } = record
  const wrong = (expected: string, received: string): VectorResult => ({
    ok: false,
    step: 'record',
    expected,
    received,
  })
  for (const name of ['appKey', 'appSecret', 'timestamp', 'nonce', 'signature'] as const) {
    if (typeof fields[name] !== 'string') return wrong(`a string in ${name}`, typeName(fields[name]))
  }
  const text = (name: string): string => fields[name] as string
  const canonical = fields.canonical
  if (canonical !== undefined && typeof canonical !== 'string') {
    return wrong('a string in canonical', typeName(canonical))
  }
  const timeMs = Date.parse(text('timestamp'))
  if (
    !Number.isFinite(timeMs) ||
    new Date(timeMs).toISOString().replace('.000Z', 'Z') !== text('timestamp')
  ) {
    return wrong('YYYY-MM-DDThh:mm:ssZ in timestamp', 'something else')
  }
  const algorithm = (fields.algorithm ?? (record.kind === 'http' ? 'HMAC-SHA1' : 'HMAC-SHA256')) as never
  const options: SignerOptions = {
    appKey: text('appKey'),
    appSecret: text('appSecret'),
    algorithm,
    streamAlgorithm: algorithm,
    headerCollision: fields.headerCollision as never,
    now: () => timeMs,
    nonce: () => text('nonce'),
  }
  try {
    const signer = createSigner(options)
    const signed =
      record.kind === 'http'
        ? await signer.sign(readHttp(fields))
        : await signer.signStream(readHex(fields.requestHex))
    if (canonical !== undefined && signed.canonical !== canonical) {
      return { ok: false, step: 'canonical', expected: canonical, received: signed.canonical }
    }
    const signature = signed.headers['x-signature'] ?? ''
    if (signature !== fields.signature) {
      return { ok: false, step: 'signature', expected: text('signature'), received: signature }
    }
    return { ok: true }
  } catch (error) {
    if (error instanceof RecordError) return wrong(error.expected, error.received)
    if (isBrokerwireError(error))
      return wrong('a record that can be signed', `${error.code}: ${error.message}`)
    throw error
  }
}

class RecordError extends Error {
  readonly expected: string
  readonly received: string

  constructor(expected: string, received: string) {
    super(`expected ${expected}, got ${received}`)
    this.expected = expected
    this.received = received
  }
}

function readHttp(fields: Readonly<Record<string, unknown>>): SignInput {
  const { host, path, query = [], body = null } = fields
  if (typeof host !== 'string') throw new RecordError('a string in host', typeName(host))
  if (typeof path !== 'string') throw new RecordError('a string in path', typeName(path))
  if (!isPairs(query)) throw new RecordError('[name, value] pairs in query', typeName(query))
  if (body !== null && typeof body !== 'string')
    throw new RecordError('a string or null in body', typeName(body))
  return { host, path, query, body: body ?? undefined }
}

function isPairs(value: unknown): value is readonly (readonly [string, string])[] {
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
  return Array.isArray(value) && value.every(isPair)
}

function readHex(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^([0-9a-f]{2})*$/i.test(value)) {
    throw new RecordError('an even number of hex digits in requestHex', typeName(value))
  }
  return Uint8Array.from(Buffer.from(value, 'hex'))
}

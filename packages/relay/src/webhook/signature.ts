/**
 * Signatures of webhooks by the Standard Webhooks specification, version 1: an HMAC-SHA256 over id, timestamp and
 * body. Uses WebCrypto only, so receivers can run on the edge.
 */
import type { BytesLike, OwnedBytes } from '@brokerwire/core'
import { concatBytes, isRecord, revealSecret, toBytes, typeName, utf8Encode } from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'

/** Names of the headers. */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** The signed parts of a webhook. */
export interface SignedParts {
  readonly id: string
  /** Seconds since the Unix epoch, as digits. */
  readonly timestamp: string
  readonly body: BytesLike
}

/** A key of WebCrypto. Not all hosts have a type with the name `CryptoKey`. */
export type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const PREFIX = 'whsec_'
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
const EXPECTED = `"${PREFIX}" and the base64 form of ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes`
const MAX_SECRETS = 8

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Imports the keys of secrets.
 *
 * @param option - The name of the option in errors, which never show a secret.
 * @throws RelayError `RELAY_OPTION_INVALID`.
 */
export async function importKeys(option: string, secrets: unknown): Promise<readonly HmacKey[]> {
  if (!Array.isArray(secrets)) return [await importKey(option, secrets)]
  if (secrets.length === 0 || secrets.length > MAX_SECRETS)
    throw optionFailure(option, `1 to ${MAX_SECRETS} secrets`, `${secrets.length}`)
  return Promise.all(secrets.map((secret, at) => importKey(`${option}[${at}]`, secret)))
}

async function importKey(option: string, secret: unknown): Promise<HmacKey> {
  const text = revealSecret(secret)
  if (text === undefined)
    throw optionFailure(
      option,
      'a string or a Secret',
      isRecord(secret) ? 'another object' : typeName(secret),
    )
  const bytes = text.startsWith(PREFIX) ? decodeBase64(text.slice(PREFIX.length)) : undefined
  if (bytes === undefined || bytes.length < MIN_SECRET_BYTES || bytes.length > MAX_SECRET_BYTES)
    throw optionFailure(option, EXPECTED, 'another text')
  return crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign', 'verify'])
}

/** Returns the headers of a webhook, with one signature for each key. */
export async function signParts(
  keys: readonly HmacKey[],
  id: string,
  body: BytesLike,
  nowMs: number,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const message = signedBytes({ id, timestamp, body })
  const signatures = await Promise.all(
    keys.map(async (key) => `v1,${encodeBase64(await crypto.subtle.sign('HMAC', key, message))}`),
  )
  return {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signatures.join(' '),
  }
}

/** Whether one of the signatures was made with one of the keys. WebCrypto compares in constant time. */
export async function matchesSignature(
  keys: readonly HmacKey[],
  signatures: readonly OwnedBytes[],
  parts: SignedParts,
): Promise<boolean> {
  const message = signedBytes(parts)
  const checks = keys.flatMap((key) =>
    signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, message)),
  )
  return (await Promise.all(checks)).includes(true)
}

/** Decodes base64 with padding. @returns `undefined` if the text is not in this form. */
export function decodeBase64(text: string): OwnedBytes | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

const encodeBase64 = (bytes: ArrayBuffer | Uint8Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))

function signedBytes({ id, timestamp, body }: SignedParts): OwnedBytes {
  const start = utf8Encode(`${id}.${timestamp}.`)
  const bytes = toBytes(body)
  return concatBytes([start, bytes], start.length + bytes.length)
}

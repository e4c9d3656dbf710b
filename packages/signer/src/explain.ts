/**
 * Explanation of a signature, step by step, as data and as text. It uses only the recorded request and does
 * not need the secret.
 */
import { escapeControlChars } from '@brokerwire/core'
import { runtimeCrypto } from '#crypto'
import type { DigestName } from './algorithms.ts'
import { canonicalEntries, headerEntries, SIGNED_HEADERS, toSignatureHeaders } from './canonical-request.ts'
import { parseRecorded, type RecordedRequest, type RecordedStream } from './recorded.ts'

/** The part of the request that an entry comes from. */
export type EntrySource = 'query' | 'header' | 'header and query'

/** One entry of a canonical string. */
export interface ExplainedEntry {
  /** Decoded name of the entry. */
  readonly name: string
  /** The part of the request that this entry comes from. */
  readonly source: EntrySource
  /** The entry as signed: `name=value`, or `name=value&value` for a repeated name. */
  readonly text: string
}

/** The steps of a signature. Specification, "Request signature". */
export interface Explanation {
  /** Path of the request line; `undefined` for a stream. */
  readonly path: string | undefined
  /** The entries in signed order. */
  readonly entries: readonly ExplainedEntry[]
  /** The digest of the body; `undefined` if there is no body. */
  readonly digest:
    | {
        /** The algorithm of the digest. */
        readonly algorithm: DigestName
        /** Length of the body in bytes. */
        readonly bytes: number
        /** The digest as hex, in upper or lower case as it is signed. */
        readonly hex: string
      }
    | undefined
  /** The canonical string, before percent-encoding. */
  readonly canonical: string
  /** The percent-encoded string, over which the HMAC is computed. */
  readonly encoded: string
  /** The whole explanation as text for people, in lines. Control characters are escaped. */
  readonly text: string
}

/**
 * Formats a line. Control characters are escaped, because the sender of the request chose the text, and a
 * line break in it could look like another entry.
 */
const line = (title: string, text: string): string => title.padEnd(12) + escapeControlChars(text)

/**
 * Explains how a recorded request or stream was signed, step by step.
 *
 * @returns The explanation. Rejects with SignerError `SIGNER_INPUT_INVALID` or `SIGNER_TARGET_INVALID` if `recorded` is not a
 * signed request or stream.
 *
 * @example
 * ```ts
 * import { type RecordedRequest, explain } from '@brokerwire/signer'
 *
 * declare const recorded: RecordedRequest
 *
 * console.log((await explain(recorded)).text)
 * ```
 */
export async function explain(recorded: RecordedRequest | RecordedStream): Promise<Explanation> {
  const {
    request,
    signed,
    bytes,
    digestName,
    digest: hex = '',
    canonical,
    encoded,
  } = await parseRecorded(recorded, runtimeCrypto())
  const inQuery = new Set(request?.query?.map(([name]) => name))
  const valuesByName = new Map<string, string[]>()
  const all = request ? canonicalEntries(request) : headerEntries(toSignatureHeaders(signed))
  for (const {
    name: { text: name },
    value: { text: value },
  } of all) {
    const values = valuesByName.get(name)
    if (values === undefined) valuesByName.set(name, [value])
    else values.push(value)
  }
  const getSource = (name: string): EntrySource => {
    if (!SIGNED_HEADERS.includes(name)) return 'query'
    return inQuery.has(name) ? 'header and query' : 'header'
  }
  const entries = [...valuesByName].map(
    ([name, values]): ExplainedEntry => ({
      name,
      source: getSource(name),
      text: `${name}=${values.join('&')}`,
    }),
  )
  const digest = hex ? { algorithm: digestName, bytes: bytes.byteLength, hex } : undefined
  const text = [
    request ? line('path', request.path) : line('stream', 'no path, entries joined with ='),
    ...entries.map((entry, i) => line(`entry ${i + 1}`, `${entry.text}   (${entry.source})`)),
    line('digest', digest ? `${hex}   (${digestName} of ${bytes.byteLength} bytes)` : 'none: no body'),
    line('joined', canonical),
    line('encoded', encoded),
  ].join('\n')
  return { path: request?.path, entries, digest, canonical, encoded, text }
}

/**
 * What was signed, step by step, as data and as text. Made from the captured request alone: the secret is not needed
 * and cannot appear.
 */
import { printable } from '@brokerwire/core'
import { runtimeCrypto } from '#crypto'
import type { DigestName } from './algorithms.ts'
import { canonicalEntries, headerEntries, SIGNED_HEADERS, toSignatureHeaders } from './canonical-request.ts'
import { parseRecorded, type RecordedRequest, type RecordedStream } from './recorded.ts'

/** Where an entry came from. */
export type EntrySource = 'query' | 'header' | 'header and query'

/** One entry of a canonical string. */
export interface ExplainedEntry {
  readonly name: string
  readonly source: EntrySource
  /** `name=value`, or `name=value&value` for a repeated name. */
  readonly text: string
}

/** The steps of a signature. Specification, "Request signature". */
export interface Explanation {
  /** As on the request line; `undefined` for a stream. */
  readonly path: string | undefined
  /** In the order in which they are signed. */
  readonly entries: readonly ExplainedEntry[]
  /** `undefined` where there is no body. */
  readonly digest:
    | { readonly algorithm: DigestName; readonly bytes: number; readonly hex: string }
    | undefined
  /** Everything joined, before percent-encoding. */
  readonly canonical: string
  /** What the HMAC is made of. */
  readonly encoded: string
  /** All of it for reading, in lines; what steers a terminal or forges a line is shown as an escape. */
  readonly text: string
}

/** Whoever sent the request chose these texts: a line break in one must not look like an entry. */
const line = (title: string, text: string): string => title.padEnd(12) + printable(text)

/**
 * Shows how a captured request or stream was signed, step by step.
 *
 * @returns Rejects with SignerError `SIGNER_INPUT_INVALID` or `SIGNER_TARGET_INVALID` where it is no signed request.
 *
 * @example
 * ```ts
 * import { type RecordedRequest, explain } from '@brokerwire/signer'
 *
 * declare const captured: RecordedRequest
 *
 * console.log((await explain(captured)).text)
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

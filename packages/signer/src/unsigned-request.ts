/**
 * Preparation of a request before its HMAC. The asynchronous and the synchronous signer share it.
 */
import { unknownOption, utf8Encode } from '@brokerwire/core/internal'
import {
  createEntry,
  type Entry,
  type EntryOrder,
  encodeText,
  queryEntries,
  type RequestParts,
  requestEntries,
} from './canonical-request.ts'
import { memoizeLast } from './memoize-last.ts'
import { invalidQuery, validateQuery } from './query.ts'
import type { UnsignedHeaders } from './signature-headers.ts'
import { checkInput, inputFailure } from './signer-error.ts'
import type { KeyedAlgorithm } from './signer-options.ts'
import { checkPath, parseHost, resolveTarget, type TargetInput } from './target.ts'
import { tryOrUndefined } from './try-or-undefined.ts'

/** A request to sign: its target and its body. */
export type SignInput = TargetInput & {
  /**
   * Body exactly as it is sent. A string is sent as UTF-8, with U+FFFD for a lone surrogate. An empty body counts as no
   * body, and `{}` is a body.
   * @defaultValue no body
   */
  readonly body?: string | Uint8Array | undefined
}

/** A request before its HMAC. */
export interface UnsignedRequest<Output> extends Omit<RequestParts, 'digest'> {
  readonly headers: UnsignedHeaders['headers']
  readonly url: string
  /** Digest of the body; `undefined` if there is none. */
  readonly digest: Output | undefined
}

const NO_BYTES = new Uint8Array()

/**
 * All fields of an input, set to `undefined`. They are spread before the given fields, so that properties of
 * `Object.prototype` are not read.
 */
const UNSET: { readonly [Field in keyof SignInput]-?: undefined } = {
  host: undefined,
  path: undefined,
  query: undefined,
  scheme: undefined,
  origin: undefined,
  body: undefined,
}
const FIELDS = /* @__PURE__ */ Object.keys(UNSET)

/** Returns the query to send, in signed order and with its `?`; an empty string if there is no query. */
function toSearch(query: readonly Entry[]): string {
  let search = ''
  for (const { name, value } of query) {
    search += `${search === '' ? '?' : '&'}${name.encoded}=${value.encoded}`
  }
  return search
}

/** Creates a function that prepares requests. That function throws SignerErrors. */
export function createRequestBuilder<Output>(
  requests: KeyedAlgorithm<Output>,
  order: EntryOrder,
): (input: SignInput) => UnsignedRequest<Output> {
  // The last host and the last path are cached, because programs often use the same ones again.
  const getHost = memoizeLast(parseHost)
  const getHostEntry = memoizeLast((host: string) => createEntry('host', host))
  const getPath = memoizeLast((path: string) => {
    checkPath(path)
    return encodeText(path)
  })
  return (input) => {
    const isObject = typeof input === 'object' && input !== null
    checkInput(isObject, input, 'input', 'an object with host and path (for a URL, use fromUrl(url))')
    const own = { ...UNSET, ...input }
    for (const name of Object.keys(input)) {
      if (!FIELDS.includes(name)) throw unknownOption(inputFailure, '', name, FIELDS)
    }
    const { query: given = [], body } = own
    const { host, origin } = resolveTarget(own, getHost)
    const path = getPath(own.path)
    const bytes = typeof body === 'string' ? utf8Encode(body) : (body ?? NO_BYTES)
    checkInput(ArrayBuffer.isView(bytes), body, 'body', 'a string or bytes')
    const pairs = validateQuery(given)
    // `undefined` if a name or value has a lone surrogate, for which `queryEntries` throws.
    const query = tryOrUndefined(() => queryEntries(pairs, order))
    if (query === undefined) throw invalidQuery('a lone surrogate')
    const { headers, entries } = requests.nextHeaders()
    return {
      headers,
      url: origin + path.text + toSearch(query),
      path,
      entries: requestEntries(getHostEntry(host), entries, query, order),
      digest: bytes.byteLength ? requests.digest(bytes) : undefined,
    }
  }
}

/** Checks the serialized request of a stream. @throws SignerError `SIGNER_INPUT_INVALID`. */
export function checkRequestBytes(requestBytes: Uint8Array): void {
  checkInput(ArrayBuffer.isView(requestBytes), requestBytes, 'requestBytes', 'bytes')
}

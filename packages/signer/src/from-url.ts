/**
 * Parsing of a URL into the parts that are signed. This is a separate file, so that programs without URLs do
 * not bundle it. The path is not parsed by `URL`, because `URL` would change it, and the signed path would
 * differ from the sent path.
 */
import type { QueryPair } from '@brokerwire/core'
import { memoizeLast } from './memoize-last.ts'
import { parseQuery } from './query.ts'
import { checkTarget } from './signer-error.ts'
import { tryOrUndefined } from './try-or-undefined.ts'

/**
 * Matches a URL: scheme, authority without user name, path and query. A fragment is ignored. A request line
 * contains only visible ASCII without backslashes. The path must not contain `" < > ^ { }` or a backquote,
 * because `fetch` would change them (`^` on some runtimes).
 */
const URL_PARTS =
  /^(?=[!-[\]-~]*$)(https?):\/\/([^/?#@]+)(\/[!$-;=@-[\]_a-z|~]*(?=[?#]|$)|(?![^?#]))\??([^#]*)/i

declare const URL: new (url: string) => { readonly origin: string }

/** The parts of a URL, for `sign()`. */
export interface UrlParts {
  /** Scheme of the URL, in lower case. */
  readonly scheme: 'https' | 'http'
  /** Scheme and authority of the URL, such as `https://api.example.com`. */
  readonly origin: string
  /** Signed host as `hostname[:port]`, without the scheme's default port. */
  readonly host: string
  /** Path as in the URL; `/` if the URL has none. */
  readonly path: string
  /** Decoded names and values of the query. */
  readonly query: readonly QueryPair[]
}

/** Normalizes an origin. Throws if the host is invalid. */
const getOrigin = /* @__PURE__ */ memoizeLast((url: string) => new URL(url).origin)

function parseUrl(url: string): Omit<UrlParts, 'host'> | undefined {
  const [, scheme = '', authority, path, query = ''] = URL_PARTS.exec(url) ?? []
  if (authority === undefined) return undefined
  // `getOrigin` throws for an invalid host, and `parseQuery` for an escape that is not UTF-8.
  return tryOrUndefined(() => ({
    scheme: scheme.toLowerCase() === 'http' ? 'http' : 'https',
    origin: getOrigin(`${scheme}://${authority}`),
    path: path || '/',
    query: parseQuery(query),
  }))
}

/**
 * Parses a URL into the parts that `sign()` takes: `signer.sign({ ...fromUrl(url), body })`. The parts are the content of the
 * request line. A URL that `fetch` would change silently is rejected, except for dot segments in the path.
 *
 * - Query: a form. `+` and `%20` are a space, and `%2B` is a plus. `a` and `a=` both have an empty value. `=x` has an empty
 *   name. Empty pairs are ignored. A malformed escape is literal text. It is sent in signed order, encoded as in RFC 3986.
 * - Path: unchanged, with its escapes, dot segments and doubled slashes. Resolve dot segments before, because `fetch` does.
 * - Host: as `fetch` sends it, in lower case and without the default port of the scheme. Any other port stays.
 * - Fragment: ignored, because it is never sent.
 * - Rejected: another scheme, a relative URL, a user name, spaces, non-ASCII characters, backslashes, escapes in the query
 *   that are not UTF-8, and in the path `" < > ^ { }` and the backquote, as in a template such as `/orders/{id}`.
 *
 * @param url - Absolute `http:` or `https:` URL, with path and query percent-encoded as on the request line.
 * @param host - The host to sign, if a gateway replaces the host of the URL.
 * @throws SignerError `SIGNER_TARGET_INVALID` if the URL cannot be signed.
 *
 * @example
 * ```ts
 * import { fromUrl, type Signer } from '@brokerwire/signer'
 *
 * declare const signer: Signer
 *
 * const { url, headers } = await signer.sign(fromUrl('https://api.example.com/orders?page=2'))
 * ```
 */
export function fromUrl(url: string, host?: string | undefined): UrlParts {
  const parts = typeof url === 'string' ? parseUrl(url) : undefined
  const expected = 'an absolute http: or https: URL, percent-encoded, without a user name'
  checkTarget(parts, url, 'url', expected)
  return { ...parts, host: host ?? parts.origin.replace(/^.*\//, '') }
}

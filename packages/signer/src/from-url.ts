/**
 * The parts of a URL as they are signed. Separate from the signer, which does not need it.
 *
 * The string is parsed as given: `URL` would rewrite the path, and the signed path would differ from the sent one.
 */
import type { QueryPair } from '@brokerwire/core'
import { memoizeLast } from './memoize-last.ts'
import { parseQuery } from './query.ts'
import { checkTarget } from './signer-error.ts'
import { tryOrUndefined } from './try-or-undefined.ts'

/**
 * Scheme, authority without user name, path, query; no fragment. Visible ASCII without backslashes is what a request
 * line can hold, and in a path none of `" < > ^ { }` and the backquote: `fetch` would silently turn them into something
 * else, `^` on some hosts.
 */
const URL_PARTS =
  /^(?=[!-[\]-~]*$)(https?):\/\/([^/?#@]+)(\/[!$-;=@-[\]_a-z|~]*(?=[?#]|$)|(?![^?#]))\??([^#]*)/i

declare const URL: new (url: string) => { readonly origin: string }

/** The parts of a URL, as `sign` takes them. */
export interface UrlParts {
  readonly scheme: 'https' | 'http'
  /** Scheme and authority. */
  readonly origin: string
  readonly host: string
  readonly path: string
  readonly query: readonly QueryPair[]
}

/** Throws if the host is invalid. */
const getOrigin = /* @__PURE__ */ memoizeLast((url: string) => new URL(url).origin)

function parseUrl(url: string): Omit<UrlParts, 'host'> | undefined {
  const [, scheme = '', authority, path, query = ''] = URL_PARTS.exec(url) ?? []
  if (authority === undefined) return undefined
  // Escapes that are not UTF-8 and invalid hosts throw.
  return tryOrUndefined(() => ({
    scheme: scheme.toLowerCase() === 'http' ? 'http' : 'https',
    origin: getOrigin(`${scheme}://${authority}`),
    path: path || '/',
    query: parseQuery(query),
  }))
}

/**
 * Takes a URL apart for `sign`: `signer.sign({ ...fromUrl(url), body })`.
 *
 * @param url - Absolute `http:` or `https:` URL, its path and query percent-encoded as on the request line. The query
 * is read as a form (`+` is a space); a fragment is dropped, because it is never sent.
 * @param host - Signs this host instead of the URL's: for gateways that set their own.
 * @throws SignerError `SIGNER_TARGET_INVALID`.
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
  const expected = 'the text of an absolute URL, http: or https:, percent-encoded, without a user name'
  checkTarget(parts, url, 'url', expected)
  return { ...parts, host: host ?? parts.origin.replace(/^.*\//, '') }
}

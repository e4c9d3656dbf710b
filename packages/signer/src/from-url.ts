/**
 * A URL's parts as they are signed. Apart from the signer, because whoever has the parts needs none of this.
 *
 * The text is taken apart as it stands: `URL` would rewrite the path, and sign something else than what is sent.
 */
import { parseQuery } from './query.ts'
import { check } from './signer-error.ts'
import type { TargetInput } from './target.ts'

/**
 * Scheme, authority without user name, path, query; no fragment. Visible ASCII without backslashes is what a request
 * line can hold, and in a path none of `" < > ^ { }` and the backquote: `fetch` would silently turn them into something
 * else, `^` on some hosts.
 */
const URL_PARTS =
  /^(?=[!-[\]-~]*$)(https?):\/\/([^/?#@]+)(\/[!$-;=@-[\]_a-z|~]*(?=[?#]|$)|(?![^?#]))\??([^#]*)/i

/** The groups of {@link URL_PARTS}. */
type Groups = readonly [url: string, scheme: 'https' | 'http', authority: string, path: string, query: string]

/**
 * Takes a URL apart for `sign`: `signer.sign({ ...fromUrl(url), body })`.
 *
 * @param url - Absolute `http:` or `https:` URL, its path and query percent-encoded as on the request line. The query
 * is read as a form (`+` is a space); a fragment is dropped, because it is never sent.
 * @param host - Signs this host instead of the URL's: for gateways that set their own.
 * @throws SignerError `SIGNER_TARGET_INVALID`.
 */
export function fromUrl(url: string, host?: string | undefined): Required<TargetInput> {
  try {
    const [, scheme, authority, path, query] = URL_PARTS.exec(url) as unknown as Groups
    const origin = `${scheme}://${authority}`
    return { scheme, origin, host: host ?? authority, path: path || '/', query: parseQuery(query) }
  } catch {
    // No match, or escapes that are not UTF-8.
    check(false, 'url', 'http(s)://host/path, percent-encoded', 'SIGNER_TARGET_INVALID')
  }
}

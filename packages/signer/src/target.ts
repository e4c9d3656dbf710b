/**
 * Where a request goes, read from the text that the caller has: the path is signed exactly as it stands there.
 *
 * `new URL` reads the authority only: it makes of it what `fetch` sends as the host (lower case, Punycode, without
 * the default port). It never sees the path, which it would rewrite.
 */
import { parseQuery, type QueryPair } from './query.ts'
import { failure } from './signer-error.ts'

declare const URL: new (
  url: string,
) => { readonly host: string; readonly origin: string; readonly protocol: string }

const URL_EXPECTED =
  'http(s)://host/path?query, or /path?query beside `host`: percent-encoded UTF-8, no user name'

/** A request's place, as a URL or in parts. */
export type TargetInput =
  | {
      /**
       * Absolute `http:` or `https:` URL, or, with `host`, the request line's `path?query` alone. A fragment is
       * dropped: it is never sent.
       */
      readonly url: string
      /** Signs this host instead of the URL's: for gateways that set their own. */
      readonly host?: string | undefined
      readonly path?: undefined
    }
  | {
      readonly url?: undefined
      /** `hostname[:port]`; the scheme's default port is dropped. */
      readonly host: string
      /** As on the request line, without the query. */
      readonly path: string
      /** Decoded names and values, in any order. @defaultValue [] */
      readonly query?: readonly QueryPair[] | undefined
      /** @defaultValue 'https' */
      readonly scheme?: 'https' | 'http' | undefined
    }

/** Both forms at once, before they are checked. */
interface AnyTarget {
  host?: string
  path?: string
  query?: readonly QueryPair[]
  scheme?: string
}

/** The parts of a target that a signature needs. */
export interface Target {
  /** Scheme and authority of the URL to send. */
  readonly origin: string
  readonly host: string
  readonly path: string
  readonly query: readonly QueryPair[]
}

/**
 * Visible ASCII without backslashes, which is what a request line can hold: `fetch` would silently turn anything else
 * into something else. Then scheme, authority without user name, path, query; the fragment is left out.
 */
const URL_PARTS = /^(?=[!-[\]-~]*$)(?:(https?):\/\/([^/?#@]+))?(\/[^?#]*)?(?:\?([^#]*))?(?:#|$)/i
const ORIGIN = /^https?:\/\/(?:\[[\da-f:.]+]|[\w.-]+)(?::\d+)?$/i
const PATH = /^\/[^?#]*$/

/**
 * Reads a target.
 *
 * @throws SignerError `SIGNER_URL_INVALID`, `SIGNER_INPUT_INVALID`.
 */
export function readTarget(input: TargetInput): Target {
  let origin: string | undefined
  let { host, path = '/', query = [], scheme = 'https' } = input as AnyTarget
  if (input.url !== undefined) {
    try {
      const [, urlScheme = scheme, authority = host, urlPath = path, search = ''] = URL_PARTS.exec(
        input.url,
      ) as string[]
      // An array, because `undefined` joins as nothing, which is no valid authority.
      const base = new URL([urlScheme, authority].join('://'))
      origin = base.origin
      scheme = base.protocol.slice(0, -1)
      host ??= base.host
      path = urlPath
      query = parseQuery(search)
    } catch {
      // No match, a wrong authority, and escapes that are not UTF-8.
      throw failure('SIGNER_URL_INVALID', 'url', URL_EXPECTED)
    }
  }
  const own = [scheme, host].join('://')
  if (!ORIGIN.test(own)) throw failure('SIGNER_INPUT_INVALID', 'host', 'hostname[:port], IPv6 in brackets')
  if (!PATH.test(path)) throw failure('SIGNER_INPUT_INVALID', 'path', '/, and no query or fragment')
  host = (host as string).replace(scheme === 'http' ? /:80$/ : /:443$/, '')
  return { origin: origin ?? `${scheme}://${host}`, host, path, query }
}

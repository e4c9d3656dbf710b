/**
 * Where a request goes, read from the text that the caller has: the path is signed exactly as it stands there.
 *
 * `new URL` reads the authority only: it makes of it what `fetch` sends as the host (lower case, Punycode, without
 * the default port). It never sees the path, which it would rewrite.
 */
import { parseQuery, type QueryPair } from './query.ts'
import { check } from './signer-error.ts'

declare const URL: new (url: string) => { readonly host: string; readonly href: string }

/** A request's place, as a URL or in parts. */
export type TargetInput =
  | {
      /**
       * Absolute `http:` or `https:` URL, its path and query percent-encoded as on the request line. A fragment is
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

/** The parts of a target that a signature needs. */
export interface Target {
  /** Scheme and authority of the URL to send. */
  readonly origin: string
  readonly host: string
  readonly path: string
  readonly query: readonly QueryPair[]
}

/** Both forms at once, unchecked. */
interface AnyTarget {
  url?: string | undefined
  host?: string | undefined
  path?: string | undefined
  query?: readonly QueryPair[] | undefined
  scheme?: string | undefined
}

/**
 * Scheme, authority without user name, path, query; no fragment. Visible ASCII without backslashes is what a request
 * line can hold: `fetch` would silently turn anything else into something else.
 */
const URL_PARTS = /^(?=[!-[\]-~]*$)(https?):\/\/([^/?#@]+)([^?#]*)\??([^#]*)/i
const PATH = /^\/[^?#]*$/
/** What is left of a URL with nothing but a host in it: no user name, path, query. */
const HOST_ONLY = /^https?:\/\/[^/@]+\/$/

/**
 * Makes a reader of targets. It remembers the last host: a signer rarely sees another.
 *
 * @returns Throws SignerError `SIGNER_TARGET_INVALID`.
 */
export function targetReader(): (input: TargetInput) => Target {
  let known: string | undefined
  let knownHost = ''
  return (input) => {
    let { url, host, path, query = [], scheme = 'https' } = input as AnyTarget
    let authority = host
    let valid = false
    try {
      if (url !== undefined) {
        const parts = URL_PARTS.exec(url) as unknown as [string, string, string, string, string]
        scheme = parts[1]
        authority = parts[2]
        host ??= authority
        path = parts[3] || '/'
        query = parseQuery(parts[4])
      }
      const origin = `${scheme}://${host ?? ''}`
      if (origin !== known) {
        const base = new URL(origin)
        knownHost = HOST_ONLY.test(base.href) ? base.host : ''
        known = origin
      }
      valid = knownHost !== '' && PATH.test(path as string)
    } catch {
      // No match, an authority that is none, or escapes that are not UTF-8.
    }
    check(valid, 'SIGNER_TARGET_INVALID', 'url', 'http(s)://host/path, percent-encoded')
    return { origin: `${scheme}://${authority}`, host: knownHost, path: path as string, query }
  }
}

/**
 * Where a request goes, in the parts that are signed: the path exactly as it stands on the request line.
 *
 * `new URL` reads the host only: it makes of it what `fetch` sends (lower case, Punycode, without the default port).
 * It never sees the path, which it would rewrite.
 */
import type { QueryPair } from './query.ts'
import { check } from './signer-error.ts'

declare const URL: new (url: string) => { readonly host: string }

/** A request's place. Of a URL, `fromUrl` makes it. */
export interface TargetInput {
  /** `hostname[:port]` as it is signed; the scheme's default port is dropped. */
  readonly host: string
  /** As on the request line: percent-encoded, without the query. */
  readonly path: string
  /** Decoded names and values, in any order. @defaultValue [] */
  readonly query?: readonly QueryPair[] | undefined
  /** @defaultValue 'https' */
  readonly scheme?: 'https' | 'http' | undefined
  /** Where the request is sent, for gateways that set their own host. @defaultValue scheme and host */
  readonly origin?: string | undefined
}

/** The parts of a target that a signature needs. */
export interface Target {
  /** Scheme and authority of the URL to send. */
  readonly origin: string
  readonly host: string
  readonly path: string
  readonly query: readonly QueryPair[]
}

/** Signed as it is given, also what a request line cannot hold: `fromUrl` is where that is looked at. */
const PATH = /^\/[^?#\r\n]*$/
/** A URL with nothing but a host in it: no user name, path or query, also none that `URL` would clean away. */
const HOST_ONLY = /^https?:\/\/[^?#\s\\/@]+$/i

/**
 * Makes a reader of targets. It remembers the last host: a signer rarely sees another.
 *
 * @returns Throws SignerError `SIGNER_TARGET_INVALID`.
 */
export function targetReader(): (input: TargetInput) => Target {
  let known: string | undefined
  let knownScheme: string
  let knownHost: string | undefined
  let base: string
  return ({ path, query = [], host, origin, scheme = 'https' }) => {
    try {
      if (host !== known || scheme !== knownScheme) {
        // First: what cannot become a text throws below, and must not leave the last host standing.
        knownHost = ''
        known = host
        knownScheme = scheme
        base = `${scheme}://${host}`
        if (HOST_ONLY.test(base)) knownHost = new URL(base).host
      }
      // Unlike the pattern's `test`, `search` exists on texts alone.
      if (host && knownHost && !path.search(PATH))
        return { path, query, host: knownHost, origin: origin ?? base }
    } catch {
      // No host at all, or a path that is no text.
    }
    check(false, 'host, path', 'host[:port], /path', 'SIGNER_TARGET_INVALID')
  }
}

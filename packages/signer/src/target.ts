/**
 * Where a request goes, read from the text that the caller has: the path is signed exactly as it stands there.
 *
 * `new URL` reads the authority only: it makes of it what `fetch` sends as the host (lower case, Punycode, without
 * the default port). It never sees the path, which it would rewrite.
 */
import { parseQuery, type QueryPair } from './query.ts'
import { inputInvalid, urlInvalid } from './signer-error.ts'

declare const URL: new (url: string) => { readonly host: string }

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

/** The parts of a target that a signature needs. */
export interface Target {
  /** Scheme and authority of the URL to send. */
  readonly origin: string
  readonly host: string
  readonly path: string
  readonly query: readonly QueryPair[]
}

const HOST = /^(?:\[[\da-f:.]+]|[\w.-]+)(?::\d+)?$/i
const DEFAULT_PORT = { https: /:443$/, http: /:80$/ }
const URL_PARTS = /^(?:(https?):\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i
/** What no request line can hold, and what `fetch` would silently turn into something else. */
const NOT_ON_A_LINE = /[^\x21-\x7e]|\\/

function readHost(host: string, scheme: 'https' | 'http'): string {
  if (typeof host === 'string' && HOST.test(host)) return host.replace(DEFAULT_PORT[scheme], '')
  throw inputInvalid('host', 'hostname[:port] in ASCII, an IPv6 address in brackets')
}

function readUrl(url: string, gatewayHost: string | undefined): Target {
  if (typeof url !== 'string' || NOT_ON_A_LINE.test(url)) {
    throw urlInvalid('percent-encoded: ASCII without spaces and backslashes')
  }
  const [, schemeText, authority, path = '', search = ''] = URL_PARTS.exec(url) as unknown as string[]
  const scheme = schemeText?.toLowerCase() === 'http' ? 'http' : 'https'
  let host = gatewayHost
  let origin: string
  if (authority === undefined) {
    if (host === undefined || !path.startsWith('/') || path.startsWith('//')) {
      throw urlInvalid('absolute (http: or https:), or begin with one / where `host` is given')
    }
    origin = `${scheme}://${host}`
  } else {
    if (authority.includes('@')) throw urlInvalid('without user name and password')
    let own: string
    try {
      own = new URL(`${scheme}://${authority}`).host
    } catch {
      throw urlInvalid('one with a valid host and port')
    }
    host ??= own
    origin = `${scheme}://${own}`
  }
  const query = parseQuery(search)
  if (query === undefined) throw urlInvalid('one whose query escapes are UTF-8')
  return { origin, host: readHost(host, scheme), path: path || '/', query }
}

/**
 * Reads a target.
 *
 * @throws SignerError `SIGNER_URL_INVALID`, `SIGNER_INPUT_INVALID`.
 */
export function readTarget(input: TargetInput): Target {
  if (input.url !== undefined) return readUrl(input.url, input.host)
  const { path, query = [], scheme = 'https' } = input
  const host = readHost(input.host, scheme)
  if (typeof path !== 'string' || path[0] !== '/' || /[?#]/.test(path)) {
    throw inputInvalid('path', 'text that begins with / and has no query or fragment')
  }
  return { origin: `${scheme}://${host}`, host, path, query }
}

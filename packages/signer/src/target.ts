/**
 * Where a request goes, in the parts that are signed: the path exactly as it stands on the request line.
 *
 * `new URL` reads hosts only: it makes of one what `fetch` sends (lower case, Punycode, without the default port). It
 * never sees the path, which it would rewrite.
 */
import type { QueryInput } from '@brokerwire/core'
import { attempt } from './attempt.ts'
import { check } from './signer-error.ts'

declare const URL: new (url: string) => { readonly host: string }

/** A request's place. Of a URL, `fromUrl` makes it. */
export interface TargetInput {
  /** `hostname[:port]` as it is signed; the scheme's default port is dropped. */
  readonly host: string
  /** As on the request line: percent-encoded, without the query. */
  readonly path: string
  /** Decoded names and values, in any order. @defaultValue [] */
  readonly query?: QueryInput | undefined
  /** @defaultValue 'https' */
  readonly scheme?: 'https' | 'http' | undefined
  /** Where the request is sent, for gateways that set their own host. @defaultValue scheme and host */
  readonly origin?: string | undefined
}

/** Where a target is. */
interface Place {
  /** As it is signed, and as `fetch` sends it. */
  readonly host: string
  /** Scheme and authority of the URL to send. */
  readonly origin: string
}

/** Signed as it is given, also what a request line cannot hold: `fromUrl` is where that is looked at. */
const PATH = /^\/[^?#\r\n\ud800-\udfff]*$/u
/** A URL with nothing but a host in it: no user name, path or query, also none that `URL` would clean away. */
const HOST_ONLY = /^https?:\/\/[^?#\s\\/@]+$/

/** The host of a URL as `fetch` sends it; `undefined` where that is none. */
export const readHost = (url: string): string | undefined =>
  HOST_ONLY.test(url) ? attempt(() => new URL(url).host) : undefined

/** Checks a path. @throws SignerError `SIGNER_TARGET_INVALID`. */
export function checkPath(path: string): void {
  const hasQuery = typeof path === 'string' && path.includes('?')
  const message = hasQuery ? 'path must not contain a query string; use "query"' : undefined
  const expected = 'a path that starts with "/", without query and fragment'
  check(typeof path === 'string' && PATH.test(path), 'path', expected, 'SIGNER_TARGET_INVALID', message)
}

/**
 * Reads a target's place.
 *
 * @param hostOf - {@link readHost}, or something that remembers what it gave.
 * @throws SignerError `SIGNER_TARGET_INVALID`.
 */
export function readPlace(
  { host, scheme = 'https', origin }: Pick<TargetInput, 'host' | 'scheme' | 'origin'>,
  hostOf: (url: string) => string | undefined,
): Place {
  const isScheme = scheme === 'https' || scheme === 'http'
  check(isScheme, 'scheme', '"https" or "http"', 'SIGNER_TARGET_INVALID')
  const signed = typeof host === 'string' ? hostOf(`${scheme}://${host}`) : undefined
  check(
    signed,
    'host',
    'a host such as "api.example.com" or "localhost:8080", without a scheme',
    'SIGNER_TARGET_INVALID',
  )
  const sentTo: unknown = origin ?? `${scheme}://${signed}`
  check(typeof sentTo === 'string', 'origin', 'a string', 'SIGNER_TARGET_INVALID')
  return { host: signed, origin: sentTo }
}

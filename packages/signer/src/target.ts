/**
 * Where a request goes, in the parts that are signed: the path exactly as it stands on the request line.
 *
 * `new URL` reads hosts only: it makes of one what `fetch` sends (lower case, Punycode, without the default port). It
 * never sees the path, which it would rewrite.
 */
import type { QueryInput } from '@brokerwire/core'
import { receivedName, wrongName, wrongText } from '@brokerwire/core/internal'
import { attempt } from './attempt.ts'
import { checkTarget, targetFailure } from './signer-error.ts'

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

const SCHEMES = ['https', 'http']
/** Signed as it is given, also what a request line cannot hold: `fromUrl` is where that is looked at. */
const PATH = /^\/[^?#\r\n\ud800-\udfff]*$/u
/** A URL with nothing but a host in it: no user name, path or query, also none that `URL` would clean away. */
const HOST_ONLY = /^https?:\/\/[^?#\s\\/@]+$/

/** The host of a URL as `fetch` sends it; `undefined` where that is none. */
export const readHost = (url: string): string | undefined =>
  HOST_ONLY.test(url) ? attempt(() => new URL(url).host) : undefined

function pathProblem(path: string): string | undefined {
  if (path.includes('?')) return 'path must not contain a query string; use "query"'
  return path.startsWith('/') ? undefined : `path must start with "/"; received ${receivedName(path)}`
}

/** Checks a path. @throws SignerError `SIGNER_TARGET_INVALID`. */
export function checkPath(path: string): void {
  if (typeof path === 'string' && PATH.test(path)) return
  const expected = 'a path such as "/orders", without query and fragment'
  if (typeof path !== 'string' || path === '') throw wrongText(targetFailure, 'path', expected, path)
  throw targetFailure('path', expected, 'a string', pathProblem(path) ?? `path must be ${expected}`)
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
  if (scheme !== 'https' && scheme !== 'http') throw wrongName(targetFailure, 'scheme', scheme, SCHEMES)
  const signed = typeof host === 'string' ? hostOf(`${scheme}://${host}`) : undefined
  checkTarget(signed, host, 'host', 'a host such as "api.example.com" or "localhost:8080", without a scheme')
  const sentTo: unknown = origin ?? `${scheme}://${signed}`
  checkTarget(typeof sentTo === 'string', sentTo, 'origin', 'a string')
  return { host: signed, origin: sentTo }
}

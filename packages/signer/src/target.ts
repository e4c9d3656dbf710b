/**
 * The parts of a request's target that are signed. The path is signed exactly as given. `URL` normalizes only
 * the host, to the form that `fetch` sends (lower case, Punycode, without the default port). The path is
 * never passed to `URL`, because `URL` would change it.
 */
import type { QueryInput } from '@brokerwire/core'
import { receivedName, wrongName, wrongText } from '@brokerwire/core/internal'
import { checkTarget, targetFailure } from './signer-error.ts'
import { tryOrUndefined } from './try-or-undefined.ts'

declare const URL: new (url: string) => { readonly host: string }

/** The target of a request. `fromUrl()` creates one from a URL. */
export interface TargetInput {
  /** Host to sign, as `hostname[:port]`. The scheme's default port is removed. */
  readonly host: string
  /**
   * Path of the request line, percent-encoded, without the query. It is signed unchanged, also with dot segments, doubled
   * slashes and characters that `fetch` would change: use `fromUrl()` for a request that `fetch` sends.
   */
  readonly path: string
  /** Decoded names and values of the query, in any order. @defaultValue [] */
  readonly query?: QueryInput | undefined
  /** Scheme of the URL to send. @defaultValue 'https' */
  readonly scheme?: 'https' | 'http' | undefined
  /**
   * Origin of the URL to send, if it differs from the signed host because a gateway sets its own host.
   * @defaultValue scheme and host
   */
  readonly origin?: string | undefined
}

/** A target after validation. */
interface ResolvedTarget {
  /** The signed host, in the form that `fetch` sends. */
  readonly host: string
  /** Scheme and authority of the URL to send. */
  readonly origin: string
}

const SCHEMES = ['https', 'http']
/**
 * A path that can be signed. It may contain characters that a request line cannot contain: only `fromUrl()`
 * rejects them.
 */
const PATH = /^\/[^?#\r\n\ud800-\udfff]*$/u
/** A URL with only a host. It has no user name, path or query, not even one that `URL` would remove. */
const HOST_ONLY = /^https?:\/\/[^?#\s\\/@]+$/

/** Returns the host of a URL in the form that `fetch` sends; `undefined` if the host is invalid. */
export const parseHost = (url: string): string | undefined =>
  HOST_ONLY.test(url) ? tryOrUndefined(() => new URL(url).host) : undefined

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
 * Validates a target.
 *
 * @param getHost - {@link parseHost}, or a memoized version.
 * @throws SignerError `SIGNER_TARGET_INVALID`.
 */
export function resolveTarget(
  { host, scheme = 'https', origin }: Pick<TargetInput, 'host' | 'scheme' | 'origin'>,
  getHost: (url: string) => string | undefined,
): ResolvedTarget {
  if (scheme !== 'https' && scheme !== 'http') throw wrongName(targetFailure, 'scheme', scheme, SCHEMES)
  const signed = typeof host === 'string' ? getHost(`${scheme}://${host}`) : undefined
  checkTarget(signed, host, 'host', 'a host such as "api.example.com" or "localhost:8080", without a scheme')
  const sentTo: unknown = origin ?? `${scheme}://${signed}`
  checkTarget(typeof sentTo === 'string', sentTo, 'origin', 'a string')
  return { host: signed, origin: sentTo }
}

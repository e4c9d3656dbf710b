/**
 * Where a request goes. The path is signed as it stands, so it has to be one that `fetch` leaves as it stands.
 */
import type { QueryPair } from '@brokerwire/core'
import { describe, readQueryInput } from '@brokerwire/core/internal'
import type { ApiVersion } from './api-version.ts'
import { optionFailure } from './http-error.ts'
import type { HttpRequest } from './request.ts'

declare const URL: new (text: string, base: string) => { readonly pathname: string }

const PATH = 'a path from / on, without ? and # and dot segments, percent-encoded'

/** Paths that no reader of URLs rewrites; others are tried. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/

/**
 * A path that is the one of the URL that it makes, and so from its first slash to its end.
 *
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`
 */
export function readPath(path: unknown): string {
  if (typeof path !== 'string') throw optionFailure('path', PATH, describe(path))
  try {
    if (PLAIN_PATH.test(path) || new URL(path, 'https://localhost').pathname === path) return path
  } catch {
    // Backslashes, tabs and line breaks make of a path something with a host in it.
  }
  throw optionFailure('path', PATH, 'another one')
}

/** @throws {@link HttpError} `HTTP_OPTION_INVALID` */
export function readQuery(query: HttpRequest['query'] = []): readonly QueryPair[] {
  const pairs = readQueryInput(query)
  if (pairs !== undefined) return pairs
  throw optionFailure('query', 'a record, pairs or a URLSearchParams of strings', describe(query))
}

/**
 * Chooses the API version of a path: the longest prefix that ends at one of its segments wins.
 *
 * @param versions - Versions by path prefix.
 */
export function versionOf(
  path: string,
  versions: Readonly<Record<string, ApiVersion>>,
  fallback: ApiVersion,
): ApiVersion {
  const [best = ''] = Object.keys(versions)
    .filter((prefix) => `${path}/`.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`))
    .sort((one, other) => other.length - one.length)
  return versions[best] ?? fallback
}

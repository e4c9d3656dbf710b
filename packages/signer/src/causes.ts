/**
 * Why two canonical strings differ, as a table: each row is one mistake that people make, and one test captures it.
 * The first row that fits is the likeliest; later rows are more general.
 */
import { SIGNED_HEADERS } from './assemble.ts'
import { type CanonicalEntry, decodeOnce, type ParsedCanonical } from './parse-canonical.ts'

/** A mistake by name. */
export type CauseName =
  | 'double-encoding'
  | 'plus-for-space'
  | 'port'
  | 'host-case'
  | 'other-host'
  | 'other-path'
  | 'path-encoding'
  | 'clock'
  | 'other-request'
  | 'wrong-algorithm'
  | 'other-app-key'
  | 'header-collision'
  | 'value-order'
  | 'entry-order'
  | 'missing-digest'
  | 'digest-case'
  | 'html-escapes'
  | 'ascii-escapes'
  | 'reserialized-json'
  | 'line-ending'
  | 'other-body'
  | 'missing-entry'
  | 'other-value'

/** A likely cause of a difference. */
export interface Cause {
  readonly cause: CauseName
  /** What happened and what to do about it. */
  readonly explanation: string
}

/** What a row looks at: where the strings differ first. `ours` and `theirs` are texts of the same part of both. */
export interface Difference {
  readonly part: 'path' | 'entry' | 'digest'
  /** Of the entry; empty for path and digest. */
  readonly name: string
  readonly ours: string | undefined
  readonly theirs: string | undefined
  readonly both: { readonly ours: ParsedCanonical; readonly theirs: ParsedCanonical }
  /** Which variant of our body has their digest, where our body is known. */
  readonly variant: CauseName | undefined
}

interface Row {
  readonly cause: CauseName
  readonly explanation: string
  readonly fits: (difference: Difference) => boolean
}

const sorted = (entries: readonly CanonicalEntry[]): string =>
  entries
    .map(({ text }) => text)
    .sort()
    .join('\n')
const values = (text: string): readonly string[] => text.slice(text.indexOf('=') + 1).split('&')
const sameValues = (left: string, right: string): boolean =>
  [...values(left)].sort().join('&') === [...values(right)].sort().join('&')
const decodes = (from: string, to: string): boolean => from !== to && decodeOnce(from) === to
const withoutPort = (text: string): string => text.replace(/:\d+$/, '')
const isHeader = (name: string): boolean => SIGNED_HEADERS.includes(name)

/** A row about the texts of both sides, where both have the part. */
const texts =
  (
    part: Difference['part'] | 'any',
    fits: (ours: string, theirs: string, difference: Difference) => boolean,
  ) =>
  (difference: Difference): boolean => {
    const { ours, theirs } = difference
    if (ours === undefined || theirs === undefined || ours === theirs) return false
    return (part === 'any' || part === difference.part) && fits(ours, theirs, difference)
  }
/** A row about one header. */
const header = (name: string) => texts('entry', (_ours, _theirs, difference) => difference.name === name)
/** A row about a variant of our body. */
const variant = (cause: CauseName, explanation: string): Row => ({
  cause,
  explanation,
  fits: (difference) => difference.variant === cause,
})

/** The table. */
export const CAUSES: readonly Row[] = [
  {
    cause: 'wrong-algorithm',
    explanation:
      'The sides use different algorithms: set `algorithm` (or `streamAlgorithm`) as the host wants it.',
    fits: ({ name, both }) => {
      const of = (side: ParsedCanonical): string | undefined =>
        side.entries.find((entry) => entry.name === 'x-signature-algorithm')?.text
      return name === 'x-signature-algorithm' && of(both.ours) !== of(both.theirs)
    },
  },
  {
    cause: 'wrong-algorithm',
    explanation: 'The digests have different lengths: MD5 goes with HMAC-SHA1, SHA-256 with HMAC-SHA256.',
    fits: texts('digest', (ours, theirs) => ours.length !== theirs.length),
  },
  {
    cause: 'port',
    explanation:
      'One side signs a port that the other leaves out: only the scheme’s default port is left out.',
    fits: texts(
      'entry',
      (ours, theirs, { name }) => name === 'host' && withoutPort(ours) === withoutPort(theirs),
    ),
  },
  {
    cause: 'host-case',
    explanation: 'The host is written in other letters: sign it in lower case, as clients send it.',
    fits: texts(
      'entry',
      (ours, theirs, { name }) => name === 'host' && ours.toLowerCase() === theirs.toLowerCase(),
    ),
  },
  {
    cause: 'header-collision',
    explanation: 'A query name equals a signed header: set `headerCollision` as the other side has it.',
    fits: texts(
      'entry',
      (ours, theirs, { name }) => isHeader(name) && values(ours).length > 1 && sameValues(ours, theirs),
    ),
  },
  {
    cause: 'other-host',
    explanation:
      'The host that was signed is not the one that arrived: behind a gateway, use the `host` option.',
    fits: header('host'),
  },
  {
    cause: 'clock',
    explanation: 'The timestamps differ: another clock, or the string of another attempt.',
    fits: header('x-timestamp'),
  },
  {
    cause: 'other-request',
    explanation: 'The nonces differ: these are strings of two different attempts.',
    fits: header('x-signature-nonce'),
  },
  {
    cause: 'other-app-key',
    explanation: 'The app keys differ: sandbox and production have their own.',
    fits: header('x-app-key'),
  },
  {
    cause: 'double-encoding',
    explanation:
      'One side signs text that is still percent-encoded: sign decoded names and values, encode once.',
    fits: texts('entry', (ours, theirs) => decodes(ours, theirs) || decodes(theirs, ours)),
  },
  {
    cause: 'path-encoding',
    explanation: 'One side signs the path decoded: it is signed exactly as it stands on the request line.',
    fits: texts('path', (ours, theirs) => decodes(ours, theirs) || decodes(theirs, ours)),
  },
  {
    cause: 'plus-for-space',
    explanation:
      'A plus stands where the other side has a space: `+` in a query is a space, a plus is `%2B`.',
    fits: texts('any', (ours, theirs) => ours.replace(/\+/g, ' ') === theirs.replace(/\+/g, ' ')),
  },
  {
    cause: 'value-order',
    explanation: 'The values of a repeated name are in another order: they are sorted.',
    fits: texts('entry', sameValues),
  },
  {
    cause: 'entry-order',
    explanation:
      'The entries are the same, in another order: they sort by name, by code point (see `nameOrder`).',
    fits: ({ part, both }) => part === 'entry' && sorted(both.ours.entries) === sorted(both.theirs.entries),
  },
  {
    cause: 'other-path',
    explanation: 'The paths differ: a proxy that adds or strips a prefix, or a query left in the path.',
    fits: ({ part }) => part === 'path',
  },
  {
    cause: 'missing-digest',
    explanation: 'Only one side has a body digest: a body of `{}` is a body, an empty body is none.',
    fits: ({ part, ours, theirs }) => part === 'digest' && (ours === undefined || theirs === undefined),
  },
  {
    cause: 'digest-case',
    explanation: 'The digest is in other letters: upper case for requests, lower case for streams.',
    fits: texts('digest', (ours, theirs) => ours.toLowerCase() === theirs.toLowerCase()),
  },
  variant(
    'html-escapes',
    'Our body with `<`, `>`, `&` escaped has their digest: turn the serializer’s HTML escapes off.',
  ),
  variant(
    'ascii-escapes',
    'Our body with non-ASCII text escaped has their digest: send the bytes that were signed.',
  ),
  variant(
    'line-ending',
    'Our body with another line ending has their digest: send the bytes that were signed.',
  ),
  variant(
    'reserialized-json',
    'Our body parsed and written again has their digest: sign the bytes, send the same bytes.',
  ),
  {
    cause: 'other-body',
    explanation: 'The digests differ: other bytes were sent than signed, or the body was changed on the way.',
    fits: ({ part }) => part === 'digest',
  },
  {
    cause: 'missing-entry',
    explanation: 'Only one side has this entry: a parameter added or dropped on the way, or not signed.',
    fits: ({ ours, theirs }) => ours === undefined || theirs === undefined,
  },
  {
    cause: 'other-value',
    explanation: 'The values differ.',
    fits: () => true,
  },
]

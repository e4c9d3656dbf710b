/**
 * Known causes of a difference between two canonical strings, as a table. Each row is one common mistake, with a test.
 * The first match is the likeliest; later rows are more general.
 */
import { SIGNED_HEADERS } from './canonical-request.ts'
import { decodeOnce, type ParsedCanonical } from './parse-canonical.ts'

/** Name of a cause. */
export type CauseName =
  | 'copied-text'
  | 'stream-form'
  | 'header-case'
  | 'repeated-name'
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
  /** Explanation of the mistake, and what to do. */
  readonly explanation: string
}

/** The first difference of two strings. `ours` and `theirs` are the same part of both. */
export interface Difference {
  readonly part: 'path' | 'entry' | 'digest'
  /** Name of the entry; empty for path and digest. */
  readonly name: string
  readonly ours: string | undefined
  readonly theirs: string | undefined
  readonly both: { readonly ours: ParsedCanonical; readonly theirs: ParsedCanonical }
  /** The variant of our body that has their digest, if our body is known. */
  readonly variant: CauseName | undefined
}

type Matches = (difference: Difference) => boolean

interface Row extends Cause {
  readonly matches: Matches
  /** Named only where no row before it matches. */
  readonly general: boolean | undefined
}

const row = (cause: CauseName, explanation: string, matches: Matches, general?: boolean): Row => ({
  cause,
  explanation,
  matches,
  general,
})
const sorted = (texts: readonly string[]): string => [...texts].sort().join('\n')
const values = (text: string): string => sorted(text.slice(text.indexOf('=') + 1).split('&'))
const sameValues = (ours: string, theirs: string): boolean => values(ours) === values(theirs)
const sameLetters = (ours: string, theirs: string): boolean =>
  ours.trim().toLowerCase() === theirs.trim().toLowerCase()
const plain = (text: string): string => text.replace(/\+/g, ' ')
const decodes = (from: string, to: string): boolean =>
  /%[\da-f]{2}/i.test(from) && [from, plain(from)].map(decodeOnce).includes(to)
const withoutPort = (text: string): string => text.replace(/:\d+$/, '')
/** Of `x-timestamp=YYYY-MM-DDThh:mm:ssZ`. */
const TIMESTAMP_LENGTH = 32
const isHeader = (name: string): boolean => SIGNED_HEADERS.includes(name)
/** Whether a string is the other one with surrounding text. */
function isCopied({ text: long }: ParsedCanonical, { text: short }: ParsedCanonical): boolean {
  // Aligned at the first or last occurrence of this mark: a full search would take the product of both lengths.
  const mark = 'x-timestamp='
  return (
    /x-timestamp=[^=&]+Z(?:&[\da-f]+)?$/i.test(short) &&
    [long.indexOf(mark), long.lastIndexOf(mark)].some((found) => {
      const at = found - short.indexOf(mark)
      return (
        long.startsWith(short, at) &&
        /[\s"'`:]/.test(long[at - 1] ?? ' ') &&
        /^(?:$|[^\w&]|&\s*$)/.test(long.slice(at + short.length))
      )
    })
  )
}

/** A row about the texts of both sides, where both have the part. */
const texts =
  (
    part: Difference['part'] | undefined,
    matches: (ours: string, theirs: string, of: Difference) => boolean,
  ) =>
  (of: Difference): boolean => {
    const { ours, theirs } = of
    if (ours === undefined || theirs === undefined || ours === theirs) return false
    return (!part || part === of.part) && matches(ours, theirs, of)
  }
/** A row about one header that has one value on both sides, and differs within so many characters. */
const header = (of: string, length?: number) =>
  texts(
    undefined,
    (ours, theirs, { name }) =>
      name === of && !`${ours}${theirs}`.includes('&') && ours.slice(0, length) !== theirs.slice(0, length),
  )
/** A row about a variant of our body. */
const variant = (cause: CauseName, how: string): Row =>
  row(
    cause,
    `Our body ${how} has their digest: send what was signed.`,
    (difference) => difference.variant === cause,
  )

/** The table. */
export const KNOWN_MISMATCHES: readonly Row[] = [
  row(
    'copied-text',
    'One side has text around it, as a log adds: leave it out.',
    ({ both: { ours, theirs } }) => isCopied(ours, theirs) || isCopied(theirs, ours),
  ),
  row(
    'stream-form',
    'The entries of a stream are joined with `=`.',
    texts(
      'entry',
      (ours, theirs, { both }) => !both.ours.path && ours.endsWith('&') !== theirs.endsWith('&'),
    ),
  ),
  row(
    'port',
    'The ports differ: only default ports are left out.',
    texts('entry', (ours, theirs, { name }) => name === 'host' && withoutPort(ours) === withoutPort(theirs)),
  ),
  row(
    'host-case',
    'The case differs: the host is signed in lower case.',
    texts('entry', (ours, theirs, { name }) => name === 'host' && sameLetters(ours, theirs)),
  ),
  row(
    'header-case',
    'The case differs: headers are signed as sent.',
    texts('entry', (ours, theirs, { name }) => isHeader(name) && sameLetters(ours, theirs)),
    true,
  ),
  row(
    'wrong-algorithm',
    'Set `algorithm` or `streamAlgorithm` as the host wants it: MD5 goes with HMAC-SHA1, SHA-256 with HMAC-SHA256.',
    (difference) =>
      header('x-signature-algorithm')(difference) ||
      texts('digest', (ours, theirs) => ours.trim().length !== theirs.trim().length)(difference),
    true,
  ),
  row(
    'header-collision',
    'A query name equals a signed header: set `headerCollision` as the other side has it.',
    texts(undefined, (ours, theirs, { name }) => isHeader(name) && sameValues(ours, theirs)),
  ),
  row(
    'other-host',
    'Another host was signed than arrived: behind a gateway, use the `host` option.',
    header('host'),
  ),
  row(
    'clock',
    'The timestamps differ: another clock, format or attempt.', // What follows a whole timestamp is not the clock’s.
    header('x-timestamp', TIMESTAMP_LENGTH),
    true,
  ),
  row('other-request', 'The nonces differ: these are two attempts.', header('x-signature-nonce'), true),
  row(
    'other-app-key',
    'The app keys differ: sandbox and production have their own.',
    header('x-app-key'),
    true,
  ),
  row(
    'double-encoding',
    'One side signs text that is percent-encoded twice: decode names and values, encode once.',
    texts(
      undefined,
      (ours, theirs, { part, both }) =>
        both.ours.encodedTwice !== both.theirs.encodedTwice ||
        (part === 'entry' && (decodes(ours, theirs) || decodes(theirs, ours))),
    ),
  ),
  row(
    'path-encoding',
    'The path is encoded otherwise: it is signed as sent.',
    texts('path', (ours, theirs) => decodeOnce(ours) === decodeOnce(theirs)),
    true,
  ),
  row(
    'plus-for-space',
    'A `+` in a query is a space, a plus is `%2B`; a space is signed as `%20`.',
    texts(undefined, (ours, theirs) => plain(ours) === plain(theirs)),
  ),
  row('value-order', 'The order differs: the values of a name are sorted.', texts('entry', sameValues), true),
  row(
    'repeated-name',
    'A name stands once for each value: one entry has all, `name=value&value`.',
    texts('entry', (ours, theirs, { name }) => {
      const joined = (text: string): string => text.replaceAll(`&${name}=`, '&')
      return sameValues(joined(ours), joined(theirs))
    }),
    true,
  ),
  row('entry-order', 'The order differs: entries sort by name (see `nameOrder`).', ({ part, both }) => {
    const of = ({ entries }: ParsedCanonical): string => sorted(entries.map(({ text }) => text))
    return part === 'entry' && of(both.ours) === of(both.theirs)
  }),
  row(
    'other-path',
    'The paths differ: a prefix added or dropped on the way, or a query left in the path.',
    ({ part }) => part === 'path',
    true,
  ),
  row(
    'missing-digest',
    'Only one side has a digest: `{}` is a body, an empty body is none.',
    ({ part, ours, theirs }) => part === 'digest' && (ours === undefined || theirs === undefined),
  ),
  row(
    'digest-case',
    'The case differs: the digest is in lower case for streams alone.',
    texts('digest', sameLetters),
    true,
  ),
  variant('html-escapes', 'with HTML escapes'),
  variant('ascii-escapes', 'with non-ASCII text escaped'),
  variant('line-ending', 'with another line ending'),
  variant('reserialized-json', 'written again as JSON'),
  row(
    'other-body',
    'The digests differ: other bytes were sent than signed, or changed on the way.',
    texts('digest', (ours, theirs) => !sameLetters(ours, theirs)),
  ),
  row(
    'missing-entry',
    'Only one side has this entry: added or dropped on the way, or not signed.',
    ({ ours, theirs }) => ours === undefined || theirs === undefined,
    true,
  ),
  row('other-value', 'The values differ.', () => true, true),
]

/**
 * Known causes of a difference between two canonical strings, as a table. Each row is one common mistake and
 * has a test. The first match is the most likely cause. Later rows are more general.
 */
import { SIGNED_HEADERS } from './canonical-request.ts'
import { decodeOnce, type ParsedCanonical } from './parse-canonical.ts'

/** Name of a cause, stable for use in programs. */
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
  /** Stable name of the cause. */
  readonly cause: CauseName
  /** Explanation of the mistake, and what to do. */
  readonly explanation: string
}

/**
 * The first difference of two canonical strings. `ours` and `theirs` are the different part in each of them.
 */
export interface Difference {
  readonly part: 'path' | 'entry' | 'digest'
  /** Name of the entry; empty for path and digest. */
  readonly name: string
  readonly ours: string | undefined
  readonly theirs: string | undefined
  readonly both: { readonly ours: ParsedCanonical; readonly theirs: ParsedCanonical }
  /**
   * The kind of variant of our body that has their digest; `undefined` if there is none or our body is
   * unknown.
   */
  readonly variant: CauseName | undefined
}

type Matches = (difference: Difference) => boolean

interface Row extends Cause {
  readonly matches: Matches
  /** Whether the cause is reported only if no earlier row matches. */
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
/** Length of `x-timestamp=YYYY-MM-DDThh:mm:ssZ`. */
const TIMESTAMP_LENGTH = 32
const isHeader = (name: string): boolean => SIGNED_HEADERS.includes(name)
/** Whether the first string is the second one with additional text around it. */
function isCopied({ text: long }: ParsedCanonical, { text: short }: ParsedCanonical): boolean {
  // Only the first and last occurrence of `mark` are tried, because a full search would take time
  // proportional to the product of both lengths.
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

/** Returns a check that matches if both sides have the part, the parts differ, and `matches` accepts them. */
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
/**
 * Returns a check that matches if the header `of` has one value on each side, and the values differ in their
 * first `length` characters. Without `length`, the whole values are compared.
 */
const header = (of: string, length?: number) =>
  texts(
    undefined,
    (ours, theirs, { name }) =>
      name === of && !`${ours}${theirs}`.includes('&') && ours.slice(0, length) !== theirs.slice(0, length),
  )
/** Creates the row for one kind of variant of our body. */
const variant = (cause: CauseName, how: string): Row =>
  row(
    cause,
    `Our body ${how} has their digest: send the bytes that were signed.`,
    (difference) => difference.variant === cause,
  )

/** The known causes, most likely first. */
export const KNOWN_MISMATCHES: readonly Row[] = [
  row(
    'copied-text',
    'One side has text around the string, for example from a log: remove it.',
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
    'The ports differ: only the default port is omitted.',
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
    'Set `algorithm` or `streamAlgorithm` to what the host expects: HMAC-SHA1 uses MD5, HMAC-SHA256 uses SHA-256.',
    (difference) =>
      header('x-signature-algorithm')(difference) ||
      texts('digest', (ours, theirs) => ours.trim().length !== theirs.trim().length)(difference),
    true,
  ),
  row(
    'header-collision',
    'A query name equals a signed header: set `headerCollision` to the same value on both sides.',
    texts(undefined, (ours, theirs, { name }) => isHeader(name) && sameValues(ours, theirs)),
  ),
  row(
    'other-host',
    'The signed host differs from the received one: if a gateway sets its own host, use the `host` option.',
    header('host'),
  ),
  row(
    'clock',
    'The timestamps differ: another clock, format or attempt.', // Additional text after the timestamp has another cause.
    header('x-timestamp', TIMESTAMP_LENGTH),
    true,
  ),
  row(
    'other-request',
    'The nonces differ: these are two different attempts.',
    header('x-signature-nonce'),
    true,
  ),
  row(
    'other-app-key',
    'The app keys differ: sandbox and production use different keys.',
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
    'The path is encoded differently: it is signed exactly as it is sent.',
    texts('path', (ours, theirs) => decodeOnce(ours) === decodeOnce(theirs)),
    true,
  ),
  row(
    'plus-for-space',
    'A `+` in a query means a space, and a space is signed as `%20`. A plus sign is `%2B`.',
    texts(undefined, (ours, theirs) => plain(ours) === plain(theirs)),
  ),
  row('value-order', 'The order differs: the values of a name are sorted.', texts('entry', sameValues), true),
  row(
    'repeated-name',
    'A repeated name has one entry for each value: put all values into one entry, `name=value&value`.',
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
    'The paths differ: something between client and server added or removed a prefix, or the path has a query.',
    ({ part }) => part === 'path',
    true,
  ),
  row(
    'missing-digest',
    'Only one side has a digest: `{}` is a body, an empty body is no body.',
    ({ part, ours, theirs }) => part === 'digest' && (ours === undefined || theirs === undefined),
  ),
  row(
    'digest-case',
    'The case differs: digests are upper case for requests and lower case for streams.',
    texts('digest', sameLetters),
    true,
  ),
  variant('html-escapes', 'with HTML escapes'),
  variant('ascii-escapes', 'with non-ASCII text escaped'),
  variant('line-ending', 'with another line ending'),
  variant('reserialized-json', 'serialized again as JSON'),
  row(
    'other-body',
    'The digests differ: the sent bytes differ from the signed bytes, or something changed them on the way.',
    texts('digest', (ours, theirs) => !sameLetters(ours, theirs)),
  ),
  row(
    'missing-entry',
    'Only one side has this entry: it was not signed, or something added or removed it on the way.',
    ({ ours, theirs }) => ours === undefined || theirs === undefined,
    true,
  ),
  row('other-value', 'The values differ.', () => true, true),
]

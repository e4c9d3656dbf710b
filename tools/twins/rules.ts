/**
 * Rules that stand in one place: what a second definition of each looks like, where the one is, and where else the look
 * of it means something else. A row of the latter without its reason is no row.
 */

/** One rule. */
export interface Rule {
  readonly what: string
  readonly pattern: RegExp
  /** The file that defines it. */
  readonly home: string
  /** Use this instead. */
  readonly use: string
  /** Other files in which it may stand, and why. */
  readonly allowed: Readonly<Record<string, string>>
}

// Brackets around a letter keep a rule from finding itself.
export const RULES: readonly Rule[] = [
  {
    what: 'a class of control characters',
    pattern: /\\p\{C[cfs][}]|\\x(?:00|1[bf]|7[f]|9[bf])|\\u00(?:00|1[bf]|7[f]|9[bf])|\[\\[0]/i,
    home: 'packages/core/src/printable.ts',
    use: 'printable or printableJson of @brokerwire/core',
    allowed: {
      'packages/cli/src/main.ts': 'what clears its own line of progress',
      'packages/cli/src/listen/quote-table.ts': 'what keeps a table in its place',
      'packages/simulator/src/bounded-list.ts': 'texts that an engine keeps in one byte a character',
      'packages/stores/src/postgres/schema.ts': 'how a NUL is written, which Postgres takes in no text',
      'packages/stores/src/contract/store-contract.ts': 'texts that a store has to keep as they are',
      'tools/attacks/secrets.ts': 'an oracle must not ask the code that it judges',
      'tools/attacks/kinds/signer.ts': 'the same, for a text of several lines',
      'tools/attacks/random.ts': 'characters to attack with',
      'tools/servers/postgres.ts': 'the first message of a client of Postgres, whose numbers are bytes',
    },
  },
  {
    what: 'an address read by hand',
    pattern: /new URL\((?!.*import\.meta\.url)/,
    home: 'packages/core/src/origin.ts',
    use: 'readOrigin of @brokerwire/core',
    allowed: {
      'packages/cli/src/doctor/checks.ts': 'a path below an address that the client has read',
      'packages/cli/src/host-of.ts': 'a part of such an address, to be shown',
      'packages/cli/src/run/doctor.ts': 'parts of an address that the client has read',
      'packages/http/src/target.ts': 'a path, against an origin of its own',
      'packages/signer/src/from-url.ts':
        'any URL is taken apart, not an option of the toolkit; the signer stays small',
      'packages/signer/src/target.ts': 'the host alone, as fetch sends it; the signer stays small',
      'packages/streams/src/create-streams.ts': 'the host of an origin that readOrigin gave',
      'packages/streams/src/subscription/connection.ts':
        'an origin that readOrigin gave, as a port of ours takes it',
      'packages/streams/src/transport/options.ts': 'the same',
      'packages/streams/src/transport/socket.ts': 'the same',
      'packages/streams/src/transport/create-stream-transport.ts': 'the URL of a request that Connect made',
    },
  },
  {
    what: 'a check for options that nobody reads',
    pattern: /unknown optio[n]/,
    home: 'packages/core/src/known-options.ts',
    use: 'requireKnownOptions of @brokerwire/core',
    allowed: {},
  },
  {
    what: 'a listener of an abort',
    pattern: /addEventListener\(\s*['"]abor[t]['"]|\.onabor[t]\b|\bonce\([^)]*['"]abor[t]['"]/,
    home: 'packages/core/src/abort.ts',
    use: 'onAbort, abortable or linkedAbort of @brokerwire/core',
    allowed: {
      'packages/core/src/lease.ts': 'an example of what a user writes',
      'packages/stores/src/contract/store-contract.ts':
        "a signal of another's driver, as its user listens to it",
    },
  },
  {
    what: 'the word for a secret that is not shown',
    pattern: /['"`]\[(?:secre[t]|redacte[d])\]['"`]/i,
    home: 'packages/core/src/redacted.ts',
    use: 'REDACTED of @brokerwire/core',
    allowed: {},
  },
]

/** A file, as it is looked at. */
export interface SourceFile {
  readonly file: string
  readonly text: string
}

/** Code that is shipped or run: tests look at these things from outside, generated code is not written by hand. */
const LOOKED_AT = /^(?:packages\/[^/]+\/src|tools|examples)\/.*\.m?ts$/
const LEFT_OUT = /\.test(?:-d)?\.ts$|\/test\/|\/gen\/|\/generated\/|^tools\/twins\//
/** Programs for this house alone read their own addresses as they like. */
const isAddress = ({ home }: Rule): boolean => home === 'packages/core/src/origin.ts'

/** @returns What stands twice, and rows of the list that allow nothing any more, one a line. */
export function twinProblems(sources: readonly SourceFile[], rules: readonly Rule[] = RULES): string[] {
  const files = sources.filter(({ file }) => LOOKED_AT.test(file) && !LEFT_OUT.test(file))
  return rules.flatMap((rule) => {
    const { what, pattern, home, use, allowed } = rule
    const found = files
      .filter(({ file }) => !isAddress(rule) || file.startsWith('packages/'))
      .flatMap(({ file, text }) =>
        text.split('\n').flatMap((line, index) => (pattern.test(line) ? [{ file, line: index + 1 }] : [])),
      )
    const twins = found
      .filter(({ file }) => file !== home && !Object.hasOwn(allowed, file))
      .map(({ file, line }) => `${file}:${line}: ${what}: use ${use}`)
    const stale = [home, ...Object.keys(allowed)]
      .filter((file) => !found.some((place) => place.file === file))
      .map((file) => `${file}: ${what} does not stand there any more: tools/twins/rules.ts names it`)
    return [...twins, ...stale]
  })
}

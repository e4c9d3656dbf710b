/**
 * Compares two canonical strings, and finds the first part and byte that differ, and the likely causes. The
 * comparison needs neither the secret nor a signature, because the strings contain everything else that can
 * make two signatures differ.
 */
import { escapeControlChars } from '@brokerwire/core'
import { utf8Encode } from '@brokerwire/core/internal'
import { runtimeCrypto } from '#crypto'
import { bodyVariants } from './body-variants.ts'
import { type Cause, type Difference, KNOWN_MISMATCHES } from './causes.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { decodeOnce, type ParsedCanonical, parseCanonical } from './parse-canonical.ts'
import { parseRecorded, type RecordedParts, type RecordedRequest, type RecordedStream } from './recorded.ts'
import { checkInput } from './signer-error.ts'

/** The result of a comparison of two canonical strings. */
export type Comparison =
  | {
      /** Whether the strings are equal before percent-encoding. */
      readonly equal: true
      /** Possible reasons for different signatures although the strings are equal, as text. */
      readonly text: string
    }
  | {
      /** Whether the strings are equal before percent-encoding. */
      readonly equal: false
      /** Index of the first different byte, in UTF-8, before percent-encoding. */
      readonly byte: number
      /** The first part that differs. */
      readonly part: Difference['part']
      /** Name of the first entry that differs; empty for path and digest. */
      readonly name: string
      /** The first part that differs, on our side; `undefined` if our side does not have it. */
      readonly ours: string | undefined
      /** The first part that differs, on their side; `undefined` if their side does not have it. */
      readonly theirs: string | undefined
      /** Likely causes, most likely first. Never empty. */
      readonly causes: readonly [Cause, ...Cause[]]
      /** The whole result as text for people, in lines. */
      readonly text: string
    }

type Found = Pick<Difference, 'part' | 'name' | 'ours' | 'theirs'>

/** Finds the first part that differs. */
function firstDifference(ours: ParsedCanonical, theirs: ParsedCanonical): Found {
  if (ours.path !== theirs.path) return { part: 'path', name: '', ours: ours.path, theirs: theirs.path }
  const count = Math.max(ours.entries.length, theirs.entries.length)
  for (let i = 0; i < count; i += 1) {
    const left = ours.entries[i]
    const right = theirs.entries[i]
    if (left?.text === right?.text) continue
    // If the names differ, one side does not have the entry, or has it at another position.
    const isAdded = right !== undefined && ours.entries.every((entry) => entry.name !== right.name)
    const shown = isAdded || left === undefined ? right : left
    const name = shown?.name ?? ''
    const decoded = decodeOnce(name)
    // Returns all entries with that name, even if the name is percent-encoded once more or once less.
    const of = ({ entries }: ParsedCanonical): string | undefined => {
      const same = entries.filter((entry) => decodeOnce(entry.name) === decoded)
      return same.map(({ text }) => text).join('&') || undefined
    }
    return { part: 'entry', name, ours: of(ours), theirs: of(theirs) }
  }
  return { part: 'digest', name: '', ours: ours.digest, theirs: theirs.digest }
}

/** Returns the index of the first UTF-8 byte that differs. */
function firstByte(left: string, right: string): number {
  const a = utf8Encode(left)
  const b = utf8Encode(right)
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}

/** Finds the kind of variant of our body that has their digest; `undefined` if there is none. */
async function findVariant(
  recorded: RecordedParts | undefined,
  theirs: string | undefined,
  crypto: SignerCrypto,
): Promise<Difference['variant']> {
  if (recorded === undefined || theirs === undefined) return undefined
  for (const { cause, bytes } of bodyVariants(recorded.bytes)) {
    if ((await crypto.digest(recorded.digestName, bytes)) === theirs.trim().toLowerCase()) return cause
  }
  return undefined
}

/** Shows a string in one line, so that a line break in it does not look like the start of another line. */
const show = (text = '(absent)'): string => escapeControlChars(text)

/**
 * Finds the first difference of two canonical strings, and its likely cause.
 *
 * @param ours - A canonical string, percent-encoded or not, or the recorded request or stream. If the body is
 * recorded, `compare` also recognizes changes that were made to the body on the way.
 * @param theirs - The other side's canonical string, percent-encoded or not.
 * @returns The comparison. Rejects with SignerError `SIGNER_INPUT_INVALID` or `SIGNER_TARGET_INVALID`.
 *
 * @example
 * ```ts
 * import { type RecordedRequest, compare } from '@brokerwire/signer'
 *
 * declare const recorded: RecordedRequest
 * declare const serverString: string
 *
 * console.log((await compare(recorded, serverString)).text)
 * ```
 */
export async function compare(
  ours: string | RecordedRequest | RecordedStream,
  theirs: string,
): Promise<Comparison> {
  const crypto = runtimeCrypto()
  checkInput(typeof theirs === 'string', theirs, 'theirs', 'a canonical string')
  const recorded = typeof ours === 'string' ? undefined : await parseRecorded(ours, crypto)
  const left = parseCanonical(recorded ? recorded.canonical : (ours as string))
  const right = parseCanonical(theirs)
  if (left.text === right.text) {
    return {
      equal: true,
      text: 'The strings are equal. Check the secret, the `&` after the secret in the HMAC key, and the percent-encoding (`*` must be `%2A`).',
    }
  }
  const found = firstDifference(left, right)
  const variant = found.part === 'digest' ? await findVariant(recorded, found.theirs, crypto) : undefined
  const difference: Difference = { ...found, both: { ours: left, theirs: right }, variant }
  const matching = KNOWN_MISMATCHES.filter((row) => row.matches(difference))
  const rows = matching.filter(({ general }, i) => !general || i === 0)
  const causes = rows.map(({ cause, explanation }) => ({ cause, explanation })) as unknown as [
    Cause,
    ...Cause[],
  ]
  const byte = firstByte(left.text, right.text)
  const text = [
    `first difference: byte ${byte}, ${found.part}${found.name && ` ${show(found.name)}`}`,
    `ours:    ${show(found.ours)}`,
    `theirs:  ${show(found.theirs)}`,
    ...causes.map(({ cause, explanation }) => `${cause}: ${explanation}`),
  ].join('\n')
  return { equal: false, byte, ...found, causes, text }
}

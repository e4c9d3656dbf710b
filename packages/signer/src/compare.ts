/**
 * Where two canonical strings part, and why: the first entry, the first byte, and the likely cause.
 *
 * Neither a secret nor a signature is needed: the strings alone say everything that can differ except the secret.
 */
import { printable } from '@brokerwire/core'
import { utf8Encode } from '@brokerwire/core/internal'
import { runtimeCrypto } from '#crypto'
import { bodyVariants } from './body-variants.ts'
import { type Cause, type Difference, KNOWN_MISMATCHES } from './causes.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { decodeOnce, type ParsedCanonical, parseCanonical } from './parse-canonical.ts'
import { parseRecorded, type RecordedParts, type RecordedRequest, type RecordedStream } from './recorded.ts'
import { checkInput } from './signer-error.ts'

/** What {@link Comparison} says of two strings. */
export type Comparison =
  | {
      readonly equal: true
      /** What is left to differ. */
      readonly text: string
    }
  | {
      readonly equal: false
      /** Index of the first byte that differs, in UTF-8, before percent-encoding. */
      readonly byte: number
      readonly part: Difference['part']
      /** Of the first entry that differs; empty for path and digest. */
      readonly name: string
      /** That part on our side; `undefined` where it is absent. */
      readonly ours: string | undefined
      readonly theirs: string | undefined
      /** The likeliest first. Never empty. */
      readonly causes: readonly [Cause, ...Cause[]]
      /** All of it for reading, in lines. */
      readonly text: string
    }

type Found = Pick<Difference, 'part' | 'name' | 'ours' | 'theirs'>

/** The first part that differs; the entry order of both is walked in step. */
function firstDifference(ours: ParsedCanonical, theirs: ParsedCanonical): Found {
  if (ours.path !== theirs.path) return { part: 'path', name: '', ours: ours.path, theirs: theirs.path }
  const count = Math.max(ours.entries.length, theirs.entries.length)
  for (let i = 0; i < count; i += 1) {
    const left = ours.entries[i]
    const right = theirs.entries[i]
    if (left?.text === right?.text) continue
    // If the names differ, one side lacks an entry, or has it elsewhere.
    const isAdded = right !== undefined && ours.entries.every((entry) => entry.name !== right.name)
    const shown = isAdded || left === undefined ? right : left
    const name = shown?.name ?? ''
    const decoded = decodeOnce(name)
    // All of that name, and those that have it encoded once more or less.
    const of = ({ entries }: ParsedCanonical): string | undefined => {
      const same = entries.filter((entry) => decodeOnce(entry.name) === decoded)
      return same.map(({ text }) => text).join('&') || undefined
    }
    return { part: 'entry', name, ours: of(ours), theirs: of(theirs) }
  }
  return { part: 'digest', name: '', ours: ours.digest, theirs: theirs.digest }
}

function firstByte(left: string, right: string): number {
  const a = utf8Encode(left)
  const b = utf8Encode(right)
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}

/** Which way of writing our body has their digest. */
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

/** A line break in a text must be seen, and not look like the next line. */
const show = (text = '(absent)'): string => printable(text)

/**
 * Finds where two canonical strings differ first, and why.
 *
 * @param ours - A canonical string, percent-encoded or not, or the captured request or stream itself: with its body
 * known, changes on the way are recognized.
 * @param theirs - The other side's canonical string, percent-encoded or not.
 * @returns Rejects with SignerError `SIGNER_INPUT_INVALID` or `SIGNER_TARGET_INVALID`.
 *
 * @example
 * ```ts
 * import { type RecordedRequest, compare } from '@brokerwire/signer'
 *
 * declare const captured: RecordedRequest
 * declare const stringOfTheServer: string
 *
 * console.log((await compare(captured, stringOfTheServer)).text)
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
      text: 'The strings are equal: what differs is the secret, the final `&` behind it, or the percent-encoding (as of `*`, which is `%2A`).',
    }
  }
  const found = firstDifference(left, right)
  const variant = found.part === 'digest' ? await findVariant(recorded, found.theirs, crypto) : undefined
  const difference: Difference = { ...found, both: { ours: left, theirs: right }, variant }
  const fitting = KNOWN_MISMATCHES.filter((row) => row.matches(difference))
  const rows = fitting.filter(({ general }, i) => !general || i === 0)
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

/** Finds the known name that is most similar to an unknown one, for messages. */

/** Returns the pairs of adjacent letters, and the last letter. */
const bigrams = (text: string): string[] => [...text].map((_, at) => text.slice(at, at + 2))

/**
 * Counts the pairs of `name` that `text` also contains. Each pair of `text` is used at most once. The last
 * letter of `name` counts if it is anywhere in `text`.
 */
function sharedBigrams(name: string, text: string): number {
  const left = bigrams(text)
  return bigrams(name).filter((pair) => {
    if (pair.length === 1) return text.includes(pair)
    const at = left.indexOf(pair)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }).length
}

/** Minimum similarity from 0 to 1. Names with a smaller similarity are not suggested. */
const MIN_SIMILARITY = 0.5

/**
 * Returns the most similar of `names`, ignoring case.
 *
 * @returns The name; `undefined` if less than half of the letters match.
 */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  // The similarity is relative to both lengths, because a long name often contains the few pairs of a short
  // name by chance.
  const similarity = (known: string): number =>
    (2 * sharedBigrams(known.toLowerCase(), name.toLowerCase())) / (known.length + name.length)
  const near = names.filter((known) => similarity(known) >= MIN_SIMILARITY)
  return near.sort((one, other) => similarity(other) - similarity(one))[0]
}

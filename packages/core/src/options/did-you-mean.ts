/** The known name that an unknown one was probably meant to be, for messages. */

/** Letters of `name` that `text` contains together with the next letter. The last letter counts by itself. */
const sharedBigrams = (name: string, text: string): number =>
  [...name].filter((_, at) => text.includes(name.slice(at, at + 2))).length

/** Names with less in common are other words. */
const MIN_SIMILARITY = 0.5

/**
 * Returns the nearest of `names`, without regard to case.
 *
 * @returns `undefined` if less than half of the letters match.
 */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  // Relative to both lengths, because a long name contains the few pairs of a short one by chance.
  const similarity = (known: string): number =>
    (2 * sharedBigrams(known.toLowerCase(), name.toLowerCase())) / (known.length + name.length)
  const near = names.filter((known) => similarity(known) >= MIN_SIMILARITY)
  return near.sort((one, other) => similarity(other) - similarity(one))[0]
}

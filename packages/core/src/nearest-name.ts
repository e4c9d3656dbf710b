/** The known name that an unknown one was probably meant to be, for messages. */

/** How many pairs of neighbouring letters of `name` stand in `text` as well; its last letter counts as one. */
const pairsShared = (name: string, text: string): number =>
  [...name].filter((_, at) => text.includes(name.slice(at, at + 2))).length

const LEAST = 0.5

/**
 * The nearest of `names`, in any case of letters.
 *
 * @returns `undefined` where none is near: with less than half of both in common, it is another word.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  // Of both: a long name holds the few pairs of a short one by chance.
  const likeness = (known: string): number =>
    (2 * pairsShared(known.toLowerCase(), name.toLowerCase())) / (known.length + name.length)
  const near = names.filter((known) => likeness(known) >= LEAST)
  return near.sort((one, other) => likeness(other) - likeness(one))[0]
}

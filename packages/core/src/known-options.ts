/** Refuses options that nobody reads: a misspelt name would otherwise leave a default standing, in silence. */
import type { OptionFailure } from './options.ts'

/** Names that are shown as they are; of others nothing is, because they may steer a terminal. */
const PLAIN = /^[\w$.-]{1,40}$/

/** How many pairs of neighbouring letters of `name` stand in `text` as well; its last letter counts as one. */
const pairsShared = (name: string, text: string): number =>
  [...name].filter((_, at) => text.includes(name.slice(at, at + 2))).length

/**
 * Checks that an object has no other options than these.
 *
 * @param options - Options as they are given; what is no object has none.
 * @param names - All that are known.
 * @throws What `fail` makes, for the first unknown name: its message names the known option that is nearest.
 */
export function requireKnownOptions(
  fail: OptionFailure,
  options: object | null | undefined,
  names: readonly string[],
): void {
  for (const given of Object.keys(options ?? {})) {
    if (names.includes(given)) continue
    const name = PLAIN.test(given) ? given : '?'
    const all = names.join(', ')
    let hint = `the options are ${all}`
    // With less than half of it in common, it is another word.
    let most = (name.length - 1) / 2
    for (const known of names) {
      const shared = pairsShared(known.toLowerCase(), name.toLowerCase())
      if (shared > most) {
        most = shared
        hint = `did you mean '${known}'?`
      }
    }
    throw fail(name, `one of ${all}`, 'an unknown option', `unknown option '${name}': ${hint}`)
  }
}

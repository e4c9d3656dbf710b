/** Refuses options that nobody reads: a misspelt name would otherwise leave a default standing, in silence. */
import type { OptionFailure } from './options.ts'

/** Names that are shown as they are; of others nothing is, because they may steer a terminal. */
const PLAIN = /^[\w$.-]{1,40}$/

/** How many letters have to be changed, added or taken out to make one text of the other. */
function distance(from: string, to: string): number {
  // What each beginning of `to` is away from the beginning of `from` that has been looked at.
  const row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 0; i < from.length; i += 1) {
    let diagonal = i
    row[0] = i + 1
    for (let j = 0; j < to.length; j += 1) {
      const changed = diagonal + Number(from[i] !== to[j])
      diagonal = row[j + 1] as number
      row[j + 1] = Math.min(changed, diagonal + 1, (row[j] as number) + 1)
    }
  }
  return row[to.length] as number
}

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
    const away = names.map((known) => distance(name.toLowerCase(), known.toLowerCase()))
    const least = Math.min(...away)
    // Beyond a half of it, it is another word.
    const nearest = least * 2 <= name.length ? names[away.indexOf(least)] : undefined
    const hint = nearest ? `did you mean '${nearest}'?` : `the options are ${names.join(', ')}`
    throw fail(name, `one of ${names.join(', ')}`, 'an unknown option', `unknown option '${name}': ${hint}`)
  }
}

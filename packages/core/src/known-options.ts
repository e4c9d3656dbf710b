/** Refuses options that nobody reads: a misspelt name would otherwise leave a default standing, in silence. */
import { nearestName } from './nearest-name.ts'
import type { OptionFailure } from './options.ts'

/** Names that are shown as they are; of others nothing is, because they may steer a terminal. */
const PLAIN = /^[\w$.-]{1,40}$/

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
    const nearest = nearestName(name, names)
    const hint = nearest ? `did you mean '${nearest}'?` : `the options are ${all}`
    throw fail(name, `one of ${all}`, 'an unknown option', `unknown option '${name}': ${hint}`)
  }
}

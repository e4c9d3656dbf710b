/** Refuses unknown options: a misspelt name would otherwise leave a default standing, in silence. */
import { type OptionFailure, unknownOption } from './failure.ts'
import { requireObject } from './options.ts'
import { ownOptions } from './own-options.ts'

/**
 * Checks that an object has no other options than these.
 *
 * @param options - Options as they are given; what is no object has none.
 * @param names - All that are known.
 * @param within - The option that holds them, with a dot behind it; nothing for the options themselves.
 * @throws What `fail` makes, for the first unknown name: its message names the known option that is nearest.
 */
export function requireKnownOptions(
  fail: OptionFailure,
  options: object | null | undefined,
  names: readonly string[],
  within = '',
): void {
  for (const given of Object.keys(options ?? {})) {
    if (!names.includes(given)) throw unknownOption(fail, within, given, names)
  }
}

/**
 * Options as they are given, checked and read once: an object that has no other names than these.
 *
 * @param option - That holds them; `'options'` for the options themselves.
 * @param names - All of them, as an object, so that one that is forgotten does not compile.
 * @returns A copy without a prototype of what the object itself has.
 * @throws What `fail` makes.
 */
export function requireOptions<T extends object>(
  fail: OptionFailure,
  option: string,
  given: T,
  names: { readonly [K in keyof NoInfer<T>]-?: 1 },
): T {
  requireObject(fail, option, given)
  const own = ownOptions(given)
  requireKnownOptions(fail, own, Object.keys(names), option === 'options' ? '' : `${option}.`)
  return own
}

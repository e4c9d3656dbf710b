/**
 * Checks of options, shared by every package: each names the option and what was expected. Of what was
 * given, numbers and booleans are shown where no secret belongs, and never a text.
 *
 * The caller passes how to fail, so that the error is its package's own.
 */
import { describe, isRecord } from '../guards.ts'
import { revealSecret } from '../redaction/reveal-secret.ts'
import type { AbortSignalLike } from '../structural.ts'
import { type OptionFailure, wrongName } from './failure.ts'

/** A number or a boolean as it is: no secret is one. Anything else is told without being shown. */
const shown = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : describe(value)

/** An object: the options themselves, or one of them. */
export function requireObject(fail: OptionFailure, option: string, value: unknown): asserts value is object {
  if (!isRecord(value)) throw fail(option, 'an object', describe(value))
}

/** A non-empty text. */
export function requireText(fail: OptionFailure, option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw fail(option, 'a non-empty string', describe(value))
}

/** The text of a non-empty string or `Secret`. */
export function requireSecret(fail: OptionFailure, option: string, value: unknown): string {
  const text = revealSecret(value)
  if (text !== undefined && text !== '') return text
  throw fail(option, 'a non-empty string or a Secret', describe(text ?? value))
}

/** A whole number within bounds, or the default, if there is one, where it is `undefined`. */
export function readInteger(
  fail: OptionFailure,
  option: string,
  value: unknown,
  bounds: { readonly min: number; readonly max: number; readonly fallback?: number | undefined },
): number {
  const { min, max, fallback } = bounds
  if (value === undefined && fallback !== undefined) return fallback
  const number = value as number
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number
  throw fail(option, `a whole number from ${min} to ${max}`, shown(value))
}

/** `true` or `false`, or the default where it is `undefined`. */
export function readBoolean(fail: OptionFailure, option: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback
  if (typeof value === 'boolean') return value
  throw fail(option, 'true or false', shown(value))
}

/** One of the listed texts, or the default where it is `undefined`. */
export function readOneOf<const T extends string>(
  fail: OptionFailure,
  option: string,
  value: unknown,
  allowed: readonly T[],
  fallback?: NoInfer<T> | undefined,
): T {
  if (value === undefined && fallback !== undefined) return fallback
  if (allowed.includes(value as T)) return value as T
  throw wrongName(fail, option, value, allowed)
}

/** A function, or the default where it is `undefined`. */
export function readFunction<T>(fail: OptionFailure, option: string, value: T | undefined, fallback: T): T {
  if (value === undefined) return fallback
  if (typeof value === 'function') return value
  throw fail(option, 'a function', shown(value))
}

/** A function, which is needed. */
export function requireFunction<T>(fail: OptionFailure, option: string, value: unknown): T {
  if (typeof value === 'function') return value as T
  throw fail(option, 'a function', describe(value))
}

/** An object that has these methods. What they do is not looked at. */
export function requirePort<T>(
  fail: OptionFailure,
  option: string,
  value: T,
  methods: readonly (keyof T & string)[],
): T {
  // A callable object passes: the stubs of remote objects are such.
  if (Object(value) !== value) throw fail(option, `an object with ${methods.join(', ')}`, describe(value))
  for (const method of methods) {
    const found: unknown = value[method]
    if (typeof found !== 'function') throw fail(`${option}.${method}`, 'a function', describe(found))
  }
  return value
}

/** The option `signal`: an abort signal, or none. */
export function readSignal<S extends AbortSignalLike>(
  fail: OptionFailure,
  value: S | undefined,
): S | undefined {
  if (value === undefined) return undefined
  const given: unknown = value
  const isSignal =
    isRecord(given) &&
    typeof given.aborted === 'boolean' &&
    typeof given.addEventListener === 'function' &&
    typeof given.removeEventListener === 'function'
  if (!isSignal) throw fail('signal', 'an AbortSignal', describe(given))
  return value
}

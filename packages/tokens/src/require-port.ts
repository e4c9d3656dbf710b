/** Checks that a port has its methods, and names the first one that is missing. */
import { describe } from '@brokerwire/core'
import { optionInvalid } from './tokens-error.ts'

/** @throws TokensError `TOKEN_OPTION_INVALID`. */
export function requirePort<T extends object>(
  option: string,
  port: T,
  methods: readonly (keyof T & string)[],
): void {
  for (const method of methods) {
    const found: unknown = (port as T | undefined)?.[method]
    if (typeof found !== 'function') throw optionInvalid(`${option}.${method}`, 'a function', describe(found))
  }
}

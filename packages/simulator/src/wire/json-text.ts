/**
 * Serializes a value of the caller to JSON. It fails with an argument error if the value is cyclic, contains
 * a bigint, or is nested so deeply that `JSON.stringify` overflows the stack.
 */
import { argumentFailure } from '../simulator-error.ts'

/**
 * @param argument - Name of the argument that contains the value.
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`
 */
export function jsonText<T>(
  argument: string,
  value: T,
  write: (value: T) => string | undefined = JSON.stringify,
): string {
  let text: string | undefined
  try {
    text = write(value)
  } catch {
    text = undefined
  }
  if (text !== undefined) return text
  throw argumentFailure(argument, 'a value that JSON can represent', 'another value')
}

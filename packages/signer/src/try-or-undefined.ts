/**
 * Returns the result of a function, or `undefined` if it throws. It is for built-in functions that throw for
 * invalid strings.
 */
export function tryOrUndefined<Made>(make: () => Made): Made | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** The result of a function; `undefined` if it throws. For host functions that throw on hostile strings. */
export function tryOrUndefined<Made>(make: () => Made): Made | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

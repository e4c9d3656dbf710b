/** What a function gives; `undefined` where it throws. For functions of the host that throw on hostile texts. */
export function attempt<Made>(make: () => Made): Made | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

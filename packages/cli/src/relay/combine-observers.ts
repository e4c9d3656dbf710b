/** One observer from several. */

type Functions = Readonly<Record<string, ((report: never) => void) | undefined>>

/** Returns an observer that calls the functions of all observers, in their order. */
export function combineObservers<O extends object>(...observers: readonly O[]): O {
  const given = observers as readonly Functions[]
  const names = new Set(given.flatMap((observer) => Object.keys(observer)))
  const combined = [...names].map((name) => [
    name,
    (report: never) => {
      for (const observer of given) observer[name]?.(report)
    },
  ])
  return Object.fromEntries(combined) as O
}

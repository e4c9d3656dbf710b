/** Parses the lines that a local service prints, as a shell does. */

/** The variables that `export` lines set. */
export function environmentOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    }),
  )
}

/** Parses the printed lines of a local service, as if they were pasted into a shell. */

/** The variables that `export` lines set. */
export function environmentOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    }),
  )
}

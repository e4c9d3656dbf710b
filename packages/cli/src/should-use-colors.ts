/** Default of `--color`: true on a terminal with color support, unless `NO_COLOR` is set. */
export function shouldUseColors(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb'
}

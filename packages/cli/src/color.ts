/** Whether to write colors where `--color` leaves it open: on a terminal that knows them, unless `NO_COLOR` says no. */
export function takesColors(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb'
}

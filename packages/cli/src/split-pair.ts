/** Parses option values that consist of a name and a value. */
import { optionError } from './cli-error.ts'

/**
 * Splits `name=value` or `name: value` at the first mark. White space around the value is removed after a colon.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
export function splitPair(text: string, mark: '=' | ':', option: string): readonly [string, string] {
  const at = text.indexOf(mark)
  if (at < 1) throw optionError(option, `must be name${mark}value; received no "${mark}"`)
  const value = text.slice(at + 1)
  return [text.slice(0, at), mark === ':' ? value.trim() : value]
}

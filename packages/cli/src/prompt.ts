/** Questions to a person at a terminal, on standard error: standard output is for what the command answers. */
import { confirm, password } from '@clack/prompts'

/** Reads a line without an echo. Ctrl-C stops the command. */
export async function askSecret(message: string, stop: AbortController): Promise<string> {
  return answered(await password({ message, output: process.stderr, signal: stop.signal }), stop)
}

/** Yes or no; no unless the person says otherwise. */
export async function askToConfirm(message: string, stop: AbortController): Promise<boolean> {
  const options = { message, initialValue: false, output: process.stderr, signal: stop.signal }
  return answered(await confirm(options), stop)
}

/** A terminal in raw mode sends no signal: Ctrl-C comes as a key, and is the same. */
function answered<T>(answer: T, stop: AbortController): Exclude<T, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<T, symbol>
  stop.abort('SIGINT')
  throw stop.signal.reason
}

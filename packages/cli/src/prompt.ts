/**
 * Questions on a terminal, on standard error, because standard output contains only the result of a command.
 */
import { confirm, password } from '@clack/prompts'

/** Reads a line without echo. Ctrl-C stops the command. */
export async function askSecret(message: string, stop: AbortController): Promise<string> {
  return unwrapAnswer(await password({ message, output: process.stderr, signal: stop.signal }), stop)
}

/** Asks for yes or no. The default is no. */
export async function askToConfirm(message: string, stop: AbortController): Promise<boolean> {
  const options = { message, initialValue: false, output: process.stderr, signal: stop.signal }
  return unwrapAnswer(await confirm(options), stop)
}

/** Ctrl-C in raw mode is a key, not a signal. It stops the command too. */
function unwrapAnswer<T>(answer: T, stop: AbortController): Exclude<T, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<T, symbol>
  stop.abort('SIGINT')
  throw stop.signal.reason
}

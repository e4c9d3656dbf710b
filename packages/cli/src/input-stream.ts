/**
 * Reads standard input up to a limit. An endless device does not fill the memory, and Ctrl-C ends the wait
 * for a pipe.
 */
import { abortable } from '@brokerwire/core/internal'
import { type CliError, fileError } from './cli-error.ts'
import type { Io } from './io.ts'

const NAME = 'standard input'

/** Creates the error of invalid input. @param problem - The rest of the sentence. */
export const inputError = (problem: string): CliError<'CLI_INPUT_UNREADABLE'> => fileError(NAME, problem)

/**
 * Yields the chunks of the input until its end, or until the command is stopped.
 *
 * @throws CliError `CLI_INPUT_UNREADABLE`
 */
export async function* readChunks({ input, signal }: Io): AsyncGenerator<Uint8Array, void, undefined> {
  if (input === undefined) throw inputError('must be a pipe or a file; received a terminal or nothing')
  const chunks = input[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await abortable(chunks.next(), signal).catch((error: unknown) => {
        throw signal.aborted ? error : unreadable(error)
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    // The call is not awaited, because it would not resolve while the stream waits for its writer.
    void chunks.return?.()
  }
}

/** Converts an error of the system, for example for a directory or a failing disk. */
function unreadable(error: unknown): unknown {
  const code = (error as { readonly code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^E[A-Z\d]+$/.test(code) ? inputError(`cannot be read: ${code}`) : error
}

/** Reads the whole input as bytes. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readInputBytes(io: Io, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of readChunks(io)) {
    length += chunk.length
    if (length > maxBytes) throw inputError(`must be at most ${maxBytes} bytes; received more`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the whole input as a string. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readInput(io: Io, maxBytes: number): Promise<string> {
  const bytes = await readInputBytes(io, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw inputError('must be text in UTF-8; received other bytes')
  }
}

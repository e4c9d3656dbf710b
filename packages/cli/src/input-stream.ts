/**
 * Standard input, with a bound before: an endless device fills no memory, and Ctrl-C ends the wait for a pipe that nobody
 * writes to.
 */
import { abortable } from '@brokerwire/core/internal'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

const NAME = 'standard input'

/** The error of an input that is not what the command reads. */
export function inputError(expected: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return new CliError('CLI_INPUT_UNREADABLE', `${NAME}: expected ${expected}`, {
    details: { file: NAME, expected },
  })
}

/** The chunks, until the end or until the person asks to stop. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function* readChunks({ input, signal }: Io): AsyncGenerator<Uint8Array, void, undefined> {
  if (input === undefined) throw inputError('a pipe or a file, got a terminal or nothing')
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
    // Not awaited: the return of a stream that waits for its writer waits, too.
    void chunks.return?.()
  }
}

/** A directory, a disk that fails: the host's code says what. */
function unreadable(error: unknown): unknown {
  const code = (error as { readonly code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^E[A-Z\d]+$/.test(code)
    ? inputError(`what can be read, got ${code}`)
    : error
}

/** All of it, as bytes. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readInputBytes(io: Io, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of readChunks(io)) {
    length += chunk.length
    if (length > maxBytes) throw inputError(`at most ${maxBytes} bytes, got more`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** All of it, as text. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readInput(io: Io, maxBytes: number): Promise<string> {
  const bytes = await readInputBytes(io, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw inputError('text in UTF-8, got something else')
  }
}

/**
 * Standard input, with a bound before: an endless device fills no memory, and Ctrl-C ends the wait for a pipe that nobody
 * writes to.
 */
import { abortReason, onAbort } from '@brokerwire/core'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

const NAME = 'standard input'

function unreadable(expected: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return new CliError('CLI_INPUT_UNREADABLE', `${NAME}: expected ${expected}`, {
    details: { file: NAME, expected },
  })
}

/** The chunks, until the end or until the person asks to stop. */
async function* chunksOf({ input, signal }: Io): AsyncGenerator<Uint8Array, void, undefined> {
  if (input === undefined) throw unreadable('a pipe or a file, got a terminal or nothing')
  const chunks = input[Symbol.asyncIterator]()
  let stopListening = (): void => {}
  const stopped = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, () => reject(abortReason(signal)))
  })
  // Nobody may be waiting when it comes.
  stopped.catch(() => {})
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), stopped])
      if (next.done) return
      yield next.value
    }
  } finally {
    stopListening()
    // Not awaited: the return of a stream that waits for its writer waits, too.
    void chunks.return?.()
  }
}

/** All of it, as bytes. @throws CliError `CLI_INPUT_UNREADABLE` */
export async function readInputBytes(io: Io, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunksOf(io)) {
    length += chunk.length
    if (length > maxBytes) throw unreadable(`at most ${maxBytes} bytes, got more`)
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
    throw unreadable('text in UTF-8, got something else')
  }
}

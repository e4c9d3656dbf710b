/**
 * Splits bytes into numbered lines of limited length, so that input without line breaks does not fill the
 * memory.
 */
import { inputError } from '../input-stream.ts'

/** A line. `text` is `undefined` if the line is not UTF-8. */
export interface NumberedLine {
  readonly number: number
  readonly text: string | undefined
}

const LINE_FEED = 0x0a

/** Splits chunks into lines. @throws CliError `CLI_INPUT_UNREADABLE` if a line is too long. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<NumberedLine, void, undefined> {
  let number = 0
  let parts: Uint8Array[] = []
  let length = 0
  const append = (part: Uint8Array): void => {
    length += part.length
    if (length > maxBytes)
      throw inputError(`must have lines of at most ${maxBytes} bytes; line ${number + 1} is longer`)
    parts.push(part)
  }
  const line = (): NumberedLine => {
    const bytes = Buffer.concat(parts)
    parts = []
    length = 0
    number += 1
    return { number, text: decodeUtf8(bytes) }
  }
  for await (const chunk of chunks) {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from)
      append(chunk.subarray(from, end < 0 ? chunk.length : end))
      if (end < 0) break
      yield line()
      from = end + 1
    }
  }
  if (length > 0) yield line()
}

/** The decoder removes a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Quoting for bash and zsh. A line that is pasted into the shell sets exactly the original value. */
import { escapeControlChars } from '@brokerwire/core'

/** Quotes text with `'...'`, or with `$'...'` if it has unprintable characters. */
function quote(text: string): string {
  if (escapeControlChars(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`
  const bytes = [...new TextEncoder().encode(text)]
  const isPlain = (byte: number): boolean => byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
  const escaped = bytes.map((byte) =>
    isPlain(byte) ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  return `$'${escaped.join('')}'`
}

/** Characters that need no quotes in any shell. */
const UNQUOTED = /^[\w@%+=:,./-]+$/

/** Creates a line that sets an environment variable. */
export const exportLine = (name: string, value: string): string =>
  `export ${name}=${UNQUOTED.test(value) ? value : quote(value)}`

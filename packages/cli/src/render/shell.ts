/** Texts as bash and zsh read them back: what is printed to be pasted must not become anything else. */
import { printable } from '@brokerwire/core'

/** A text in single quotes; with what a terminal would not show, as `$'...'` with escapes. */
function quoted(text: string): string {
  if (printable(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`
  const bytes = [...new TextEncoder().encode(text)]
  const isPlain = (byte: number): boolean => byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
  const escaped = bytes.map((byte) =>
    isPlain(byte) ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  return `$'${escaped.join('')}'`
}

/** What every shell takes as it stands. */
const PLAIN = /^[\w@%+=:,./-]+$/

/** A line that sets a variable. */
export const exportLine = (name: string, value: string): string =>
  `export ${name}=${PLAIN.test(value) ? value : quoted(value)}`

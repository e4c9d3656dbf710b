/** Runs `brokerwire compare`. */
import { escapeControlChars } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { compare } from '@brokerwire/signer'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { type CapturedFlags, readCapturedOrText, readText, withFileName } from '../signature/captured.ts'
import { caretLines } from '../signature/caret.ts'

export const run: Run<CapturedFlags & { readonly json?: boolean }> = async ({ args, flags, io }) => {
  const [ours, theirs] = [String(args[0]), String(args[1])]
  if (ours === '-' && theirs === '-')
    throw optionError('<theirs>', 'must be a file if <ours> is standard input')
  const left = await readCapturedOrText(ours, flags, io)
  const option =
    flags.body !== undefined ? '--body' : flags.bodyFile !== undefined ? '--body-file' : undefined
  if (typeof left === 'string' && option !== undefined)
    throw optionError(
      option,
      'must not be given with a canonical string, which contains the digest of its body',
    )
  const right = (await readText(theirs, io)).replace(/\r?\n$/, '')
  const found = await compare(left, right).catch(withFileName(typeof left === 'string' ? theirs : ours))
  const status = found.equal ? EXIT.done : EXIT.no
  if (flags.json) {
    const { text: _, ...shown } = found
    io.out(escapeJsonControlChars(JSON.stringify(shown)))
    return status
  }
  if (found.equal) {
    io.out(found.text)
    return status
  }
  io.out(
    `first difference: byte ${found.byte}, ${found.part}${found.name && ` ${escapeControlChars(found.name)}`}`,
  )
  for (const line of caretLines(found.ours, found.theirs)) io.out(line)
  for (const { cause, explanation } of found.causes) io.out(`${cause}: ${explanation}`)
  return status
}

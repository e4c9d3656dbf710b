/** Runs `brokerwire explain`. */
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { explain } from '@brokerwire/signer'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { type CapturedFlags, readCaptured, withFileName } from '../signature/captured.ts'

export const run: Run<CapturedFlags & { readonly json?: boolean }> = async ({ args, flags, io }) => {
  const file = String(args[0])
  const { text, ...steps } = await explain(await readCaptured(file, flags, io)).catch(withFileName(file))
  io.out(flags.json ? escapeJsonControlChars(JSON.stringify(steps)) : text)
  return EXIT.done
}

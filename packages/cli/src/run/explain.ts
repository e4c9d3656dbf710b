/** Runs `brokerwire explain`. */
import { printableJson } from '@brokerwire/core/internal'
import { explain } from '@brokerwire/signer'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { type BodyFlags, readCaptured } from '../signature/captured.ts'

export const run: Run<BodyFlags & { readonly json?: boolean }> = async ({ args, flags, io }) => {
  const { text, ...steps } = await explain(await readCaptured(String(args[0]), flags, io))
  io.out(flags.json ? printableJson(JSON.stringify(steps)) : text)
  return EXIT.done
}

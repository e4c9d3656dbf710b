/** Runs `brokerwire config path`. */
import { escapeControlChars } from '@brokerwire/core'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { requireConfigFile } from '../settings/profiles.ts'

export const run: Run<unknown> = async ({ io }) => {
  io.out(escapeControlChars(requireConfigFile(io.env)))
  return EXIT.done
}

/** Runs `brokerwire config path`. */
import { printable } from '@brokerwire/core'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { requireConfigFile } from '../settings/profiles.ts'

export const run: Run<unknown> = async ({ io }) => {
  io.out(printable(requireConfigFile(io.env)))
  return EXIT.done
}

/** Runs `brokerwire completion`. */
import { SCRIPTS } from '../completion/scripts.ts'
import type { Shell } from '../completion/shells.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'

export const run: Run<unknown> = async ({ args, io }) => {
  io.out(SCRIPTS[args[0] as Shell])
  return EXIT.done
}

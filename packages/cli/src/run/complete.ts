/**
 * Runs `brokerwire complete`, which the completion scripts call: prints a value and its description per line, and
 * instructions for the script.
 */
import { escapeControlChars } from '@brokerwire/core'
import { complete } from '../completion/complete.ts'
import { readValues } from '../completion/values.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'

export const run: Run<unknown> = async ({ args, io, commands }) => {
  const words = args[0] as readonly string[]
  const { candidates, paths, more } = await complete(words, commands, (source, before) =>
    readValues(source, before, io.env),
  )
  for (const { value, help } of candidates) io.out(`${escapeControlChars(value)}\t${help}`)
  if (paths !== undefined) io.out(`:${paths}`)
  if (more) io.out(':more')
  return EXIT.done
}

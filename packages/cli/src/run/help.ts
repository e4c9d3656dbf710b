/** Runs `brokerwire help`. */
import { ERRORS_PAGE } from '@brokerwire/core/internal'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { ERROR_ROWS } from '../help/error-rows.ts'
import { receivedText } from '../suggestion.ts'

export const run: Run<{ readonly json?: boolean }> = async ({ args, flags, io, commands, showHelp }) => {
  const words = (args[0] ?? []) as readonly string[]
  const topic = words.join(' ')
  const row = ERROR_ROWS.find(({ code }) => code === topic.toUpperCase())
  if (row === undefined) {
    if (showHelp(words)) return EXIT.done
    const topics = [...ERROR_ROWS.map(({ code }) => code), ...commands.map(({ name }) => name)]
    throw optionError('[topic...]', `must be an error code or a command${receivedText(topic, topics)}`)
  }
  const help = `${ERRORS_PAGE}#${row.code.toLowerCase()}`
  if (flags.json) io.out(JSON.stringify({ ...row, help }))
  else {
    for (const line of [
      `${row.code}  ${row.package}`,
      '',
      row.meaning,
      '',
      `Retry:       ${row.retryable}`,
      `What to do:  ${row.remedy}`,
      `Message:     ${row.message}`,
      `More:        ${help}`,
    ])
      io.out(line)
  }
  return EXIT.done
}

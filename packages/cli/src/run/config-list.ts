/** Runs `brokerwire config list`. */
import { escapeControlChars, REDACTED } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readSettings, type SettingFlags } from '../settings/read-settings.ts'
import { getSetting, SETTING_NAMES } from '../settings/settings.ts'

export const run: Run<SettingFlags & { readonly json?: boolean }> = async ({ flags, io }) => {
  const settings = await readSettings(flags, io)
  const rows = SETTING_NAMES.map((name) => {
    const { key, secret } = getSetting(name)
    const setting = settings[name]
    return { key, value: setting && (secret ? REDACTED : setting.value), source: setting?.source }
  })
  if (flags.json) {
    const shown = rows.map(({ key, value = null, source = null }) => [key, { value, source }])
    io.out(escapeJsonControlChars(JSON.stringify(Object.fromEntries(shown))))
    return EXIT.done
  }
  for (const { key, value, source } of rows) {
    const text =
      value === undefined ? '-' : `${escapeControlChars(value)}   (${escapeControlChars(source ?? '')})`
    io.out(`${key.padEnd(18)} ${text}`)
  }
  return EXIT.done
}

/** Runs `brokerwire config get`. */
import { escapeControlChars, REDACTED } from '@brokerwire/core'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { findSetting } from '../settings/find-setting.ts'
import { readSettings, type SettingFlags } from '../settings/read-settings.ts'
import { getSetting } from '../settings/settings.ts'

export const run: Run<SettingFlags & { readonly reveal?: boolean }> = async ({ args, flags, io }) => {
  const name = findSetting(args[0])
  const setting = (await readSettings(flags, io))[name]
  if (setting === undefined) return EXIT.no
  io.out(escapeControlChars(getSetting(name).secret && !flags.reveal ? REDACTED : setting.value))
  return EXIT.done
}

/** Settings by their keys in profiles. */
import { optionError } from '../cli-error.ts'
import { receivedText } from '../suggestion.ts'
import { SETTING_KEYS } from './profiles.ts'
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts'

/** Returns the setting of a key that is an argument of the command. @throws CliError `CLI_OPTION_INVALID` */
export function findSetting(key: unknown): SettingName {
  const name = SETTING_NAMES.find((one) => SETTINGS[one].key === key)
  if (name !== undefined) return name
  const text = String(key)
  throw optionError('<key>', `must be one of ${SETTING_KEYS.join(', ')}${receivedText(text, SETTING_KEYS)}`)
}

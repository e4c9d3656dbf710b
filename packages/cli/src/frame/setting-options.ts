/** Options of settings, shared by several commands. */
import { getSetting, type SettingName } from '../settings/settings.ts'
import type { OptionDefinition } from './definition.ts'

/** Returns the options of these settings. */
export function settingOptions(...names: readonly SettingName[]): readonly OptionDefinition[] {
  return names.flatMap((name) => {
    const { flag, help, variable, choices } = getSetting(name)
    if (flag === undefined) return []
    const also = name === 'appSecretFile' ? 'BROKERWIRE_APP_SECRET' : variable
    return { flags: flag, help: `${help} (env: ${also})`, choices }
  })
}

/** Options of commands that only sign. */
export const CREDENTIAL_OPTIONS = settingOptions('appKey', 'appSecretFile')

/** Options of commands that connect. */
export const CONNECTION_OPTIONS: readonly OptionDefinition[] = [
  ...settingOptions(
    'region',
    'environment',
    'appKey',
    'appSecretFile',
    'baseUrl',
    'eventsUrl',
    'moduleEventsUrl',
    'maxClockOffset',
  ),
  {
    flags: '--allow-insecure',
    help: 'allow http: URLs beyond this machine: others on the network can read tokens',
  },
]

/** Options of commands that send requests but open no stream. */
export const REQUEST_OPTIONS: readonly OptionDefinition[] = CONNECTION_OPTIONS.filter(
  ({ flags }) => !/events-url/.test(flags),
)

export const JSON_OPTION: OptionDefinition = {
  flags: '--json',
  help: 'print one JSON object instead of text',
}

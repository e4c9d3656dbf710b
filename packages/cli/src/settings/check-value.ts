/**
 * What a value of a setting has to look like, wherever it stands: a command and `config set` refuse the same ones, with the
 * same words.
 */
import { type OptionFailure, outerSpace, readOrigin, wrongName } from '@brokerwire/core/internal'
import { optionError, optionFailure } from '../cli-error.ts'
import { durationProblem, readDuration } from '../number-option.ts'
import { type SettingName, settingOf } from './settings.ts'

/** Commands that move the clock of a local service move it by months. */
const LONGEST_OFFSET_DAYS = 3650
const LONGEST_OFFSET_MS = LONGEST_OFFSET_DAYS * 86_400_000
/** Market data over TCP or WebSocket; the client reads the rest. */
const MQTT_ADDRESS = /^(?:mqtts?|wss?):\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i
const URLS: readonly SettingName[] = ['httpUrl', 'eventsUrl', 'moduleEventsUrl']

/** White space in these would be signed, and never match. */
const SIGNED: readonly SettingName[] = ['appKey', 'appSecret']

/** Where a value stands: the name that an error gives it. */
export interface ValuePlace {
  readonly source: string
  /** Whether http: is taken beyond this machine. */
  readonly allowInsecure: boolean
}

/**
 * Checks a value.
 *
 * @returns It, an origin in its shortest form.
 * @throws CliError `CLI_OPTION_INVALID`
 */
export function checkValue(name: SettingName, value: string, { source, allowInsecure }: ValuePlace): string {
  if (URLS.includes(name)) return readOrigin(urlFailure, source, value, allowInsecure)
  if (name === 'maxClockOffset') readOffset(value, source)
  if (SIGNED.includes(name)) {
    const space = outerSpace(value)
    if (space !== undefined)
      throw optionError(source, `must be without white space at its ends; received ${space}`)
  }
  if (name === 'mqttUrl' && !MQTT_ADDRESS.test(value))
    throw optionError(source, 'must be an address such as mqtts://host:port or wss://host:port/mqtt')
  const { choices } = settingOf(name)
  if (choices?.includes(value) === false) throw wrongName(optionFailure, source, value, choices)
  return value
}

/** The clock's bound in milliseconds. @throws CliError `CLI_OPTION_INVALID` */
export function readOffset(value: string, source: string): number {
  const ms = readDuration(value, LONGEST_OFFSET_MS)
  if (ms === undefined) throw optionError(source, durationProblem(value, LONGEST_OFFSET_DAYS))
  return ms
}

const urlFailure: OptionFailure = (option, expected, received) =>
  optionFailure(option, expected.replace('allowInsecure: true', '--allow-insecure'), received)

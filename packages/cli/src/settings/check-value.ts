/** Rules for the values of settings. Commands and `config set` reject the same values with the same messages. */
import { type OptionFailure, outerSpace, readOrigin, wrongName } from '@brokerwire/core/internal'
import { optionError, optionFailure } from '../cli-error.ts'
import { durationProblem, parseDuration } from '../number-option.ts'
import { getSetting, type SettingName } from './settings.ts'

/** Maximum clock offset. It is long, because the clock of a local service may differ by months. */
const MAX_OFFSET_DAYS = 3650
const MAX_OFFSET_MS = MAX_OFFSET_DAYS * 86_400_000
/** Address of market data over TCP or WebSocket. The client validates the other parts. */
const MQTT_ADDRESS = /^(?:mqtts?|wss?):\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i
const URLS: readonly SettingName[] = ['baseUrl', 'eventsUrl', 'moduleEventsUrl']

/**
 * Settings that are signed. White space around them is rejected, because it would lead to wrong signatures.
 */
const SIGNED_SETTINGS: readonly SettingName[] = ['appKey', 'appSecret']

/** Source of a value, for errors. */
export interface ValueSource {
  readonly source: string
  /** Whether `http:` is allowed for other hosts than this machine. */
  readonly allowInsecure: boolean
}

/**
 * Validates a value.
 *
 * @returns The value. A URL is returned as an origin in its canonical form.
 * @throws CliError `CLI_OPTION_INVALID`
 */
export function checkValue(name: SettingName, value: string, { source, allowInsecure }: ValueSource): string {
  if (URLS.includes(name)) return readOrigin(urlFailure, source, value, allowInsecure)
  if (name === 'maxClockOffset') parseOffset(value, source)
  if (SIGNED_SETTINGS.includes(name)) {
    const space = outerSpace(value)
    if (space !== undefined)
      throw optionError(source, `must be without white space at its ends; received ${space}`)
  }
  if (name === 'mqttUrl' && !MQTT_ADDRESS.test(value))
    throw optionError(source, 'must be an address such as mqtts://host:port or wss://host:port/mqtt')
  const { choices } = getSetting(name)
  if (choices?.includes(value) === false) throw wrongName(optionFailure, source, value, choices)
  return value
}

/** Parses the allowed clock offset. Returns milliseconds. @throws CliError `CLI_OPTION_INVALID` */
export function parseOffset(value: string, source: string): number {
  const ms = parseDuration(value, MAX_OFFSET_MS)
  if (ms === undefined) throw optionError(source, durationProblem(value, MAX_OFFSET_DAYS))
  return ms
}

const urlFailure: OptionFailure = (option, expected, received) =>
  optionFailure(option, expected.replace('allowInsecure: true', '--allow-insecure'), received)

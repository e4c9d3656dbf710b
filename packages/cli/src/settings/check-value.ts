/**
 * What a value of a setting has to look like, wherever it stands: a command and `config set` refuse the same ones, with the
 * same words.
 */
import { outerSpace, readOrigin } from '@brokerwire/core/internal'
import { optionError } from '../cli-error.ts'
import { readDuration } from '../number-option.ts'
import { type SettingName, settingOf } from './settings.ts'

/** Commands that move the clock of a local service move it by months. */
const LONGEST_OFFSET_MS = 3650 * 86_400_000
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
      throw optionError(source, `a value without white space at its ends, got ${space}`)
  }
  const { choices } = settingOf(name)
  if (choices?.includes(value) === false) throw optionError(source, choices.join(' or '))
  return value
}

/** The clock's bound in milliseconds. @throws CliError `CLI_OPTION_INVALID` */
export function readOffset(value: string, source: string): number {
  const ms = readDuration(value, LONGEST_OFFSET_MS)
  if (ms === undefined) throw optionError(source, 'a duration such as 90s, 2h or 16d, of at most 3650 days')
  return ms
}

const urlFailure = (option: string, expected: string, received: string): Error =>
  optionError(option, `${expected.replace('allowInsecure: true', '--allow-insecure')}, got ${received}`)

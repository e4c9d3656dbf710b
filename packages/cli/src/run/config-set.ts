/** Runs `brokerwire config set`. */
import { stripLineEnd } from '@brokerwire/core/internal'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readInput } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'
import { checkValue } from '../settings/check-value.ts'
import { findSetting } from '../settings/find-setting.ts'
import { changeProfiles, type Profiles, readProfiles, requireConfigFile } from '../settings/profiles.ts'
import { type SettingFlags, selectProfile } from '../settings/read-settings.ts'
import { getForms, getSetting, type SettingName } from '../settings/settings.ts'

const MAX_SECRET_BYTES = 64 * 1024

export const run: Run<SettingFlags & { readonly unset?: boolean }> = async ({ args, flags, io }) => {
  const name = findSetting(args[0])
  const { key } = getSetting(name)
  // Checks the arguments and the files before the prompt, so that no secret is typed for an invalid command.
  if (flags.unset && args[1] !== undefined)
    throw optionError('--unset', 'must not be given together with a value')
  const given = flags.unset ? undefined : checkGiven(name, args[1])
  const profile = selectProfile(flags, io.env).name
  const file = requireConfigFile(io.env)
  // The file is read here only to report its errors. It is not locked, because the user may take time to
  // type.
  await readProfiles(file)
  const value = flags.unset ? undefined : (given ?? (await readSecretValue(name, io)))
  const replaced = flags.unset ? [key] : getForms(name).map((form) => getSetting(form).key)
  const change = (profiles: Profiles): Profiles => {
    const others = Object.entries(profiles[profile] ?? {}).filter(([other]) => !replaced.includes(other))
    return {
      ...profiles,
      [profile]: Object.fromEntries(value === undefined ? others : [...others, [key, value]]),
    }
  }
  await changeProfiles(file, change, io.signal)
  return EXIT.done
}

async function readSecretValue(name: SettingName, io: GuardedIo): Promise<string> {
  const answer =
    (await io.prompt?.secret('App secret')) ?? stripLineEnd(await readInput(io, MAX_SECRET_BYTES))
  const { key } = getSetting(name)
  if (answer === '')
    throw optionError(key, 'must be a non-empty string, from a prompt or from standard input')
  io.keepSecret(answer)
  return checkValue(name, answer, { source: key, allowInsecure: true })
}

/**
 * Validates the value on the command line. Returns `undefined` for a secret, which must not be on the command
 * line.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
function checkGiven(name: SettingName, given: unknown): string | undefined {
  const { key, secret } = getSetting(name)
  if (secret) {
    if (given === undefined) return undefined
    throw optionError(
      '<value>',
      'must be omitted, because a process list would show it. Enter the app secret at the prompt, or pass it on standard input',
    )
  }
  if (typeof given !== 'string' || given === '')
    throw optionError('<value>', 'must be a non-empty string; to remove the setting, use --unset')
  // Whether `http:` is allowed depends on the flag of each later command.
  return checkValue(name, given, { source: key, allowInsecure: true })
}
